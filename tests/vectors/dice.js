// The dice protocol once more, written from its description alone: node tests/vectors/dice.js > tests/unit/dice_vectors.json
"use strict";
const { createHash, createHmac } = require("node:crypto");

const sha256 = (...parts) => createHash("sha256").update(Buffer.concat(parts)).digest();
const hmac = (key, ...parts) => createHmac("sha256", key).update(Buffer.concat(parts)).digest();
const u16 = (n) => Buffer.from([n >> 8, n & 255]);
const u32 = (n) => { const b = Buffer.alloc(4); b.writeUInt32BE(n); return b; };
const text = (s) => Buffer.from(s, "utf8");
const named = (id) => Buffer.concat([u16(text(id).length), text(id)]);
const secret = (label) => sha256(text(label)); // any fixed 32 bytes

// x[0] .. x[N] of one party, from the end down to the tip
function chain(id, party, end, length) {
  const x = [];
  x[length] = end;
  for (let k = length; k > 0; k--) x[k - 1] = sha256(text("videau/chain/v1"), named(id), text(party), u32(k), x[k]);
  return x;
}

function diceOf(seed) {
  const dice = [];
  for (let block = seed, counter = 1; dice.length < 2; block = hmac(seed, Buffer.from([counter++])))
    for (const byte of block) if (byte < 252 && dice.length < 2) dice.push((byte % 6) + 1);
  return dice;
}

const flagged = (link) => (link ? Buffer.concat([Buffer.from([1]), link]) : Buffer.from([0]));
const roll = (id, r, s, w, b) => diceOf(hmac(s, text("videau/roll/v1"), named(id), u32(r), flagged(w), flagged(b)));
const hex = (bytes) => (bytes ? bytes.toString("hex") : "");

const ids = ["0123456789abcdef0123456789abcdef", "m", "partie-à-Zürich"];
const chains = ids.flatMap((id) => ["S", "W", "B"].map((party) => {
  const end = secret(`${id}/${party}`);
  const x = chain(id, party, end, 130);
  const links = Object.fromEntries([0, 1, 2, 63, 64, 65, 127, 128, 129, 130].map((k) => [k, hex(x[k])]));
  return { match_id: id, party, end: hex(end), length: 130, links };
}));

const rolls = ids.flatMap((id) => {
  const [s, w, b] = ["S", "W", "B"].map((party) => chain(id, party, secret(`${id}/${party}`), 130));
  return [1, 2, 3, 4, 5, 6, 127, 128, 129, 130].flatMap((r) => [[1, 1], [1, 0], [0, 1], [0, 0]].map(([white, black]) => {
    const links = [white ? w[r] : null, black ? b[r] : null];
    return { match_id: id, roll: r, server: hex(s[r]), white: hex(links[0]), black: hex(links[1]), dice: roll(id, r, s[r], ...links) };
  }));
});

// seeds whose bytes are mostly, or all, too high to give a die
const seeds = ["ff".repeat(32), "fc".repeat(31) + "05", "ff".repeat(30) + "fb00", "00".repeat(32), "fbfa" + "00".repeat(30)];
const mapping = seeds.map((seed) => ({ seed, dice: diceOf(Buffer.from(seed, "hex")) }));

const master = secret("master");
const ends = ids.flatMap((id) => [1, 2, 3].map((number) => {
  const suffix = number > 1 ? [u32(number)] : [];
  return { master: hex(master), match_id: id, chain: number, end: hex(hmac(master, text("videau/match/v1"), text(id), ...suffix)) };
}));

console.log(JSON.stringify({ chains, rolls, mapping, ends }, null, 1));

"""`python -m tests.hostile` adds to the corpus what is made on purpose and not in it yet.

The verdict that it gets is written beside it: read it before it is committed.
"""

from tests.corpus import CORPUS, VERDICTS, keep
from tests.hostile.files import CONSTRUCTED

for kind, files in CONSTRUCTED.items():
    for name, make in files.items():
        if not (CORPUS / kind / name).exists():
            data = make()
            verdict = VERDICTS[kind](data)
            keep(kind, name, data, verdict)
            print(f"{kind}/{name}, {len(data)} bytes: {verdict}")

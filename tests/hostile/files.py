"""Every file that is made on purpose, by its kind and the name it has in the corpus."""

from tests.corpus import BUNDLES, LOGS, RECORDS
from tests.hostile.bundles import BUNDLE_FILES
from tests.hostile.logs import LOG_FILES
from tests.hostile.records import RECORD_FILES

CONSTRUCTED = {
    BUNDLES: {f"{name}.videau": make for name, make in BUNDLE_FILES.items()},
    RECORDS: RECORD_FILES,
    LOGS: LOG_FILES,
}

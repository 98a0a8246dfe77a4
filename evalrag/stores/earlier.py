"""Probes that the newest run has done already, where what they ask has not changed since."""

import contextlib
from collections.abc import Callable, Mapping

from evalrag.errors import RunError
from evalrag.regression.probing import reusable
from evalrag.schema.run import RunRecord
from evalrag.schema.trace import ProbeTrace
from evalrag.schema.words import Probe
from evalrag.stores.runs import RunFolder, StoredRun

Found = Mapping[str, ProbeTrace]


def earlier_probes(
    folder: RunFolder, record: RunRecord, digests: Mapping[str, str]
) -> Callable[[str, int], Found]:
    """Row and attempt -> its probes in the newest probed run of the same plan that may stand.

    They stand where the fingerprint of the stage that was asked is known and is the same, and the
    row as well (`digests`). One that came to nothing is asked again. A run that cannot be read is
    as if it were not there: it costs calls, and nothing else.
    """
    stored = _newest(folder, record)
    if stored is None:
        return lambda row, repeat: {}
    run, probes, known = stored

    def of(row: str, repeat: int) -> Found:
        if known.get(row) != digests.get(row):
            return {}
        with contextlib.suppress(RunError):
            traces = run.traces(row) or ()
            if repeat < len(traces):
                found = traces[repeat].get("probes", {})
                return {n: p for n, p in found.items() if n in probes and "unresolved" not in p}
        return {}

    return of


def _newest(
    folder: RunFolder, record: RunRecord
) -> tuple[StoredRun, frozenset[Probe], Mapping[str, str]] | None:
    for name in reversed(folder.names()):
        with contextlib.suppress(RunError):
            run = StoredRun(folder.path / name)
            if run.record.plan != record.plan or not run.record.probes:
                continue
            probes = reusable(run.record, record)
            if not probes or not run.has_traces:
                return None
            return run, probes, {result.id: result.digest for result in run.results}
    return None

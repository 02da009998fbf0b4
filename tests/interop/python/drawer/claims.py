"""What the database remembers of runs. Rows are only ever added; `content["ptah"]` is

    {"uuid": ..., "physical": ..., "rows": [...], "proofs": [...], "renames": [...]}

A row has a sequence, its operation, and one phase of it: an intent spends the operation, an outcome stands beside the work
in the same file, and a settlement closes the operation. A run that found nothing to do leaves a row of its own kind, which
is no operation.
"""

import uuid

from ptah.provider.v1 import claim_pb2, common_pb2, session_pb2

PROOFS_KEPT = 64


def identity(store, content):
    """Which database this is. It has a UUID from the first run on."""
    ours = content["ptah"]
    found = session_pb2.DatabaseIdentity(physical=store.physical(), route=store.physical())
    if ours:
        found.uuid = ours["uuid"]
        found.recorded_physical = ours["physical"]
    return found


def latest(content):
    """The sequence of the latest row."""
    return len(content["ptah"]["rows"]) if content["ptah"] else 0


def record(store, content, request):
    """Adds the row of a request: (state, sequence, why not, the other operation)."""
    phase = request.WhichOneof("phase")
    if content["ptah"] is None:
        if phase != "intend" or request.intend.segment != 0:
            return _refused("no operation was begun in this database")
        content["ptah"] = {"uuid": str(uuid.uuid4()), "physical": store.physical(), "rows": [], "proofs": [], "renames": []}
    ours = content["ptah"]
    if ours["physical"] != store.physical():
        return _refused("the database was moved or copied, and nobody has said which yet")
    mine = [row for row in _operations(ours) if row["operation"] == request.operation_id]
    settled = any(row["phase"] == "settle" for row in mine)
    judge = {"intend": _intend, "outcome": _outcome, "settle": _settle, "prove": lambda *_: None}[phase]
    refusal = judge(request, ours, mine, settled)
    if refusal:
        return refusal
    row = {
        "sequence": len(ours["rows"]) + 1,
        "uuid": ours["uuid"],
        "operation": request.operation_id,
        "plan": request.plan_digest,
        "phase": phase,
        "at_us": request.at_us,
    }
    said = getattr(request, phase)
    for field in said.DESCRIPTOR.fields:
        if field.name not in ("proof", "renames"):
            row[field.name] = getattr(said, field.name)
    ours["rows"].append(row)
    if phase in ("settle", "prove"):
        _remember(said, ours)
    state = claim_pb2.CLAIM_STATE_INTENDED if phase == "intend" else claim_pb2.CLAIM_STATE_RECORDED
    return state, row["sequence"], None, None


def _refused(why, state=claim_pb2.CLAIM_STATE_NOT_WRITTEN, other=None):
    return state, 0, why, other


def _intend(request, ours, mine, settled):
    segment = request.intend.segment
    spent = claim_pb2.CLAIM_STATE_ALREADY
    if segment == 0:
        # Whichever database wrote it, a copy included. A proof spends nothing.
        if any(r["operation"] == request.operation_id and r["phase"] != "prove" for r in ours["rows"]):
            return _refused("this operation was begun before, and an operation runs at most once", spent)
        others = unfinished(ours)
        if others:
            why = "another operation was begun in this database and is not settled"
            return _refused(why, claim_pb2.CLAIM_STATE_OTHER_UNFINISHED, others[0])
        return None
    if any(row["phase"] == "intend" and row["segment"] == segment for row in mine):
        return _refused("this segment was begun before, and a segment runs at most once", spent)
    before = [row for row in mine if row["phase"] == "outcome" and row["segment"] == segment - 1]
    if not any(row["outcome"] == common_pb2.OUTCOME_APPLIED for row in before):
        return _refused("the segment before it is not recorded as applied")
    return _refused("the operation is settled") if settled else None


def _outcome(request, _, mine, settled):
    segment = request.outcome.segment
    if not any(row["phase"] == "intend" and row["segment"] == segment for row in mine):
        return _refused("the segment was never begun in this database")
    if any(row["phase"] == "outcome" and row["segment"] == segment for row in mine):
        return _refused("the segment has an outcome already")
    return _refused("the operation is settled") if settled else None


def _settle(_, __, mine, settled):
    if not mine:
        return _refused("the operation was never begun in this database")
    return _refused("the operation is settled already") if settled else None


def _remember(said, ours):
    """Keeps a proof, and the renames that were carried out."""
    if said.HasField("proof"):
        proof = {"sources": said.proof.sources, "settings": said.proof.settings, "state": said.proof.state}
        same = [p for p in ours["proofs"] if (p["sources"], p["settings"]) != (proof["sources"], proof["settings"])]
        ours["proofs"] = [proof, *same][:PROOFS_KEPT]
    for rename in getattr(said, "renames", ()):
        owner = rename.owner if rename.HasField("owner") else None
        ours["renames"].append({"kind": rename.kind, "owner": owner, "from": getattr(rename, "from"), "to": rename.to})


def unfinished(ours):
    """Operations of this database that were begun and not settled, oldest first."""
    own = _operations(ours)
    settled = {row["operation"] for row in own if row["phase"] == "settle"}
    return list(dict.fromkeys(row["operation"] for row in own if row["operation"] not in settled))


def _operations(ours):
    """The rows of operations that this database wrote under the name that it has now."""
    return [row for row in ours["rows"] if row["uuid"] == ours["uuid"] and row["phase"] != "prove"]


def read(store, content, limit):
    """What the database remembers: every unfinished operation, and the newest finished ones up to a limit."""
    reading = claim_pb2.ClaimsReading(identity=identity(store, content), latest=latest(content))
    ours = content["ptah"]
    if ours is None:
        return reading
    open_ones = set(unfinished(ours))
    by_operation = {}
    for row in _operations(ours):
        by_operation.setdefault(row["operation"], []).append(row)
    finished = sorted((o for o in by_operation if o not in open_ones), key=lambda o: -by_operation[o][-1]["sequence"])
    kept = open_ones | set(finished[:limit])
    for operation in sorted(kept, key=lambda o: -by_operation[o][0]["sequence"]):
        reading.operations.append(_operation(by_operation[operation]))
    for proof in ours["proofs"]:
        reading.proofs.append(claim_pb2.Proof(**proof))
    for rename in ours["renames"]:
        reading.renames.append(claim_pb2.RenameRecord(**rename))
    return reading


def _operation(rows):
    """One operation, put together from its rows."""
    first = rows[0]
    found = claim_pb2.OperationRecord(
        operation_id=first["operation"], plan_digest=first["plan"], segments=first["segments"], at_us=first["at_us"]
    )
    for row in rows:
        if row["phase"] == "intend":
            found.intents.append(
                claim_pb2.SegmentRecord(transactional=row["transactional"], before=row["before"], after=row["after"])
            )
        elif row["phase"] == "outcome":
            found.intents[row["segment"]].outcome = row["outcome"]
            found.intents[row["segment"]].applied = row["applied"]
        else:
            found.settled = row["verdict"]
    return found


def adopt(store, content, adoption):
    """Records that the database is the same at another place, or a copy with a life of its own."""
    ours = content["ptah"]
    if adoption == claim_pb2.ADOPTION_COPY:
        # The rows stay, as another database's: they carry the UUID under which they were written.
        ours["uuid"] = str(uuid.uuid4())
        ours["proofs"] = []
    ours["physical"] = store.physical()

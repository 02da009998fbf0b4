"""One session: a connection with its locks, its transaction and its readings.

Calls on a session are served one after another. Once a lock that guards the session is lost, the session is fenced for good:
it still rolls back, gives locks back and closes, and does nothing else.
"""

import secrets
import threading

import grpc

from ptah.provider.v1 import claim_pb2, common_pb2, execute_pb2, session_pb2

from drawer import claims, language
from drawer.contract import Failure, checked_reason, not_found, precondition
from drawer.planning import Snapshot
from drawer.store import Busy

FENCED = "a lock that guards the session was lost"
READ_ONLY = "the session was opened only to read"
NOT_OPEN = "the transaction is not open on the session"
SNAPSHOTS_LIMIT = 1_000


def random_id():
    """A handle of 256 random bits."""
    return secrets.token_urlsafe(32)


class Session:
    """What lives between Open and Close."""

    def __init__(self, store, purpose):
        self.id = random_id()
        self.store = store
        self.purpose = purpose
        self.snapshots = {}
        # One call at a time. Held for the whole call.
        self.turn = threading.Lock()
        self.closing = False
        self._fenced = False
        self._requests = set()
        self._locks = {}
        self._transaction = None
        self._ended = {}

    # What may be done -------------------------------------------------------------------------------------------------

    def spend(self, request_id):
        """A request ID is used once. One that came before is refused, so that nothing runs twice."""
        if request_id in self._requests or request_id in self._locks:
            raise Failure(grpc.StatusCode.ALREADY_EXISTS, "the request ID was used before on this session")
        self._requests.add(request_id)

    def ready(self):
        """Why the session does nothing any more; None when it does."""
        if self.closing:
            return "the session is being closed"
        return FENCED if self._fenced else None

    def _standing(self):
        """Why nothing may be changed now; None when every lock that guards the session is held at this moment."""
        for entry in self._locks.values():
            if entry["state"] == "held" and not entry["held"].holds():
                self._lost(entry)
        return self.ready()

    def _may_change(self, transaction_id):
        if self.purpose == session_pb2.PURPOSE_READ:
            return READ_ONLY
        why = self._standing()
        if why:
            return why
        if not self.store.exists():
            return "the database does not exist"
        if transaction_id is None:
            return "a transaction is open on the session" if self._transaction else None
        return None if self._is_open(transaction_id) else NOT_OPEN

    def _is_open(self, transaction_id):
        return self._transaction is not None and self._transaction.id == transaction_id

    # Reading ----------------------------------------------------------------------------------------------------------

    def _content(self, transaction_id=None):
        if transaction_id is None:
            return self.store.read()
        if not self._is_open(transaction_id):
            raise precondition(NOT_OPEN)
        return self._transaction.content

    def inspect(self):
        self._must_be_ready()
        if len(self.snapshots) >= SNAPSHOTS_LIMIT:
            raise Failure(grpc.StatusCode.RESOURCE_EXHAUSTED, "the session keeps no more readings")
        # Inside a transaction it is that state which counts.
        content = self._transaction.content if self._transaction else self.store.read()
        name, snapshot = random_id(), Snapshot(content)
        self.snapshots[name] = snapshot
        return name, snapshot

    def query(self, text, transaction_id):
        self._must_be_ready()
        content = self._content(transaction_id)
        try:
            return language.query(language.one(text), content["tables"])
        except language.Fault as fault:
            raise Failure(grpc.StatusCode.INVALID_ARGUMENT, "the query cannot be asked: " + fault.sentence) from fault

    def _must_be_ready(self):
        why = self.ready()
        if why:
            raise precondition(why)

    # Changing ---------------------------------------------------------------------------------------------------------

    def execute(self, request):
        """Runs units in their order, and stops at the first that is refused."""
        transaction_id = request.transaction_id if request.HasField("transaction_id") else None
        reply = execute_pb2.ExecuteReply(key=request.key, outcome=common_pb2.OUTCOME_APPLIED)
        why = self._may_change(transaction_id)
        if why:
            reply.outcome = common_pb2.OUTCOME_NOT_STARTED
            reply.diagnostic = checked_reason(why)
            return reply
        for unit in request.units:
            try:
                if unit.WhichOneof("unit") != "sql":
                    raise language.Fault("NATIVE", "a drawer plans no native operation, so this is not one of its own")
                self._run(language.one(unit.sql), transaction_id)
            except language.Fault as fault:
                # A refused unit leaves everything as it was, so what is known is exactly the prefix.
                partial = reply.applied_count > 0
                reply.outcome = common_pb2.OUTCOME_PARTIAL if partial else common_pb2.OUTCOME_NOT_APPLIED
                reply.diagnostic = checked_reason(fault.sentence)
                if fault.code.replace("_", "").isalnum() and fault.code.isupper():
                    reply.engine_code = fault.code
                return reply
            reply.applied_count += 1
        return reply

    def _run(self, statement, transaction_id):
        if transaction_id is not None:
            language.run(statement, self._transaction.content["tables"])
            return
        try:
            with self.store.start_writing(0, lambda: True):
                content = self.store.read()
                language.run(statement, content["tables"])
                self.store.write(content)
        except Busy as busy:
            raise language.Fault("BUSY", "another writer is at work") from busy

    def begin(self, request, wait):
        """Begins, and asserts in the transaction what the request expects."""
        receipt = execute_pb2.TransactionReceipt(key=request.key)

        def refuse(state, why):
            receipt.state, receipt.diagnostic = state, checked_reason(why)
            return receipt

        why = self._may_change(None)
        if why is None and request.settings:
            why = "a drawer has no setting that a transaction could need"
        if why:
            return refuse(execute_pb2.TRANSACTION_STATE_NOT_STARTED, why)
        try:
            writing = self.store.start_writing(wait, lambda: self.closing)
        except Busy:
            return refuse(execute_pb2.TRANSACTION_STATE_BUSY, "another writer was at work for the whole wait")
        transaction = _Transaction(writing, self.store.read())
        found = Snapshot(transaction.content).fingerprint
        if request.HasField("expect_state") and request.expect_state != found:
            transaction.close()
            receipt.found_state = found
            return refuse(execute_pb2.TRANSACTION_STATE_STATE_CHANGED, "the schema is not the one that was expected")
        if request.HasField("expect_claim") and request.expect_claim != claims.latest(transaction.content):
            transaction.close()
            return refuse(execute_pb2.TRANSACTION_STATE_CLAIM_CHANGED, "another claim is the latest")
        self._transaction = transaction
        receipt.transaction_id, receipt.state = transaction.id, execute_pb2.TRANSACTION_STATE_BEGUN
        return receipt

    def end(self, request, commit):
        """Commits or rolls back. One that has ended answers how it did; with a lock lost, nothing is committed."""
        receipt = execute_pb2.TransactionReceipt(key=request.key, transaction_id=request.transaction_id)
        known = self._ended.get(request.transaction_id)
        if known is not None:
            receipt.state = known
            return receipt
        if not self._is_open(request.transaction_id):
            raise not_found(NOT_OPEN)
        transaction, self._transaction = self._transaction, None
        why = self._standing() if commit else None
        receipt.state = execute_pb2.TRANSACTION_STATE_ROLLED_BACK
        if why:
            receipt.diagnostic = checked_reason(why)
        # Until the file is replaced nothing of the transaction is anywhere but in memory.
        self._ended[transaction.id] = execute_pb2.TRANSACTION_STATE_UNKNOWN
        try:
            if commit and not why:
                self.store.write(transaction.content)
                receipt.state = execute_pb2.TRANSACTION_STATE_COMMITTED
        except OSError:
            # The file may have been replaced and the folder not written: nobody knows what a crash would leave.
            receipt.state = execute_pb2.TRANSACTION_STATE_UNKNOWN
            receipt.diagnostic = "the system failed while the file was replaced"
        finally:
            transaction.close()
        self._ended[transaction.id] = receipt.state
        return receipt

    # What is remembered -----------------------------------------------------------------------------------------------

    def claim(self, request):
        receipt = claim_pb2.ClaimReceipt(key=request.key)
        transaction_id = request.transaction_id if request.HasField("transaction_id") else None
        why = self._may_change(transaction_id)
        if why:
            receipt.state, receipt.diagnostic = claim_pb2.CLAIM_STATE_NOT_WRITTEN, checked_reason(why)
            return receipt
        if transaction_id is not None:
            made = claims.record(self.store, self._transaction.content, request)
        else:
            try:
                made = self._alone(lambda content: claims.record(self.store, content, request))
            except Busy:
                made = claim_pb2.CLAIM_STATE_NOT_WRITTEN, 0, "another writer is at work", None
            except OSError:
                made = claim_pb2.CLAIM_STATE_UNKNOWN, 0, "the system failed while the file was replaced", None
        receipt.state, receipt.sequence, why, other = made
        if why:
            receipt.diagnostic = checked_reason(why)
        if other:
            receipt.other_operation_id = other
        return receipt

    def read_claims(self, limit):
        self._must_be_ready()
        return claims.read(self.store, self.store.read(), limit)

    def adopt(self, request):
        self._must_change()

        def work(content):
            if content["ptah"] is None:
                raise precondition("the database has no identity yet, so there is nothing to adopt")
            claims.adopt(self.store, content, request.adoption)
            return claim_pb2.AdoptReply(key=request.key, identity=claims.identity(self.store, content))

        return self._alone_or_fail(work)

    def forget(self, request):
        self._must_change()

        def work(content):
            if content["ptah"] and claims.unfinished(content["ptah"]):
                raise precondition("an operation is unfinished, and forgetting it would lose its outcome")
            content["ptah"] = None
            return claim_pb2.ForgetReply(key=request.key)

        return self._alone_or_fail(work)

    def _must_change(self):
        why = self._may_change(None)
        if why:
            raise precondition(why)

    def _alone(self, work):
        """A change of the file that commits by itself."""
        with self.store.start_writing(0, lambda: True):
            content = self.store.read()
            result = work(content)
            self.store.write(content)
            return result

    def _alone_or_fail(self, work):
        try:
            return self._alone(work)
        except Busy as busy:
            raise Failure(grpc.StatusCode.UNAVAILABLE, "another writer is at work") from busy

    # Locks ------------------------------------------------------------------------------------------------------------
    #
    # An ID is used for one attempt, and remembered for good:
    #   held      TryLock says ACQUIRED, CheckLock asks the system, ReleaseLock gives back
    #   busy      TryLock says BUSY, CheckLock says LOST
    #   lost      TryLock and CheckLock say LOST
    #   released  TryLock says what it said first, or LOST if the release came before any attempt

    def _lock_entry(self, key):
        if key.request_id in self._requests:
            raise Failure(grpc.StatusCode.ALREADY_EXISTS, "the request ID was used before on this session")
        entry = self._locks.get(key.request_id)
        if entry is not None and entry["scope"] != key.scope:
            raise Failure(grpc.StatusCode.INVALID_ARGUMENT, "the lock ID was used before for another scope")
        return entry

    def try_lock(self, key):
        if self.purpose == session_pb2.PURPOSE_READ:
            raise precondition("the session was opened only to read, and a lock changes something")
        entry = self._lock_entry(key)
        if entry is None:
            entry = self._locks[key.request_id] = self._attempt(key.scope)
        first = {"held": execute_pb2.LOCK_STATE_ACQUIRED, "busy": execute_pb2.LOCK_STATE_BUSY}
        state = first.get(entry["first"], execute_pb2.LOCK_STATE_LOST)
        if entry["state"] == "lost":
            state = execute_pb2.LOCK_STATE_LOST
        return self._lock_receipt(key, state, entry["why"])

    def _attempt(self, scope):
        why = self.ready()
        if why is None and not self.store.exists():
            why = "the database does not exist"
        if why:
            return {"scope": scope, "first": "lost", "state": "lost", "held": None, "why": why}
        held = self.store.try_lock(scope)
        state, why = ("held", None) if held else ("busy", "another process or session holds the lock")
        return {"scope": scope, "first": state, "state": state, "held": held, "why": why}

    def check_lock(self, key):
        entry = self._lock_entry(key)
        if entry is None or entry["state"] != "held":
            return self._lock_receipt(key, execute_pb2.LOCK_STATE_LOST)
        if entry["held"].holds():
            return self._lock_receipt(key, execute_pb2.LOCK_STATE_ACQUIRED)
        self._lost(entry)
        return self._lock_receipt(key, execute_pb2.LOCK_STATE_LOST, FENCED)

    def release_lock(self, key):
        entry = self._lock_entry(key)
        if entry is None:
            # Fences the ID: an attempt that is still on its way acquires nothing.
            entry = {"scope": key.scope, "first": "lost", "state": "released", "held": None, "why": None}
            self._locks[key.request_id] = entry
        elif entry["state"] == "held":
            if not entry["held"].holds():
                self._lost(entry)
                return self._lock_receipt(key, execute_pb2.LOCK_STATE_LOST, FENCED)
            entry["held"].close()
            entry["state"] = "released"
        elif entry["state"] == "busy":
            entry.update(state="released", first="lost")
        return self._lock_receipt(key, execute_pb2.LOCK_STATE_RELEASED)

    def _lost(self, entry):
        entry["held"].close()
        entry.update(state="lost", why=FENCED)
        self._fenced = True

    @staticmethod
    def _lock_receipt(key, state, why=None):
        receipt = execute_pb2.LockReceipt(key=key, state=state)
        if why and state not in (execute_pb2.LOCK_STATE_ACQUIRED, execute_pb2.LOCK_STATE_RELEASED):
            receipt.diagnostic = checked_reason(why)
        return receipt

    # The end ----------------------------------------------------------------------------------------------------------

    def close(self):
        """Rolls back what is open and gives back what is held."""
        self.closing = True
        with self.turn:
            if self._transaction:
                self._transaction.close()
                self._transaction = None
            for entry in self._locks.values():
                if entry["state"] == "held":
                    entry["held"].close()
                    entry["state"] = "released"
            self.snapshots.clear()


class _Transaction:
    """The content as the transaction has it. It outlives the call that began it; other writers wait."""

    def __init__(self, writing, content):
        self.id = random_id()
        self.content = content
        self._writing = writing

    def close(self):
        with self._writing:
            pass

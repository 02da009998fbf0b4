package main

import (
	"context"
	"regexp"
	"unicode"

	"google.golang.org/grpc/codes"

	"ptah.run/interop/contract"
)

var opaque = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// keyed checks a request's key and finds its session.
func (p *provider) keyed(key *contract.Key) (*session, error) {
	if key == nil || !opaque.MatchString(key.SessionId) || !opaque.MatchString(key.RequestId) {
		return nil, p.fail(codes.InvalidArgument, "the request breaks the contract: its key is not well formed")
	}
	scope := len(key.Scope) >= 1 && len(key.Scope) <= 255
	for _, c := range key.Scope {
		scope = scope && !unicode.IsControl(c)
	}
	if !scope {
		return nil, p.fail(codes.InvalidArgument, "the request breaks the contract: key.scope has 1 to 255 bytes")
	}
	return p.session(key.SessionId)
}

// Execute runs units and stops at the first that is refused.
func (p *provider) Execute(_ context.Context, request *contract.ExecuteRequest) (*contract.ExecuteReply, error) {
	s, err := p.keyed(request.Key)
	if err != nil {
		return nil, err
	}
	if len(request.Units) < 1 || len(request.Units) > 1_000 {
		return nil, p.fail(codes.InvalidArgument, "the request breaks the contract: there are 1 to 1000 units")
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.requests[request.Key.RequestId] || s.attempts[request.Key.RequestId] != nil {
		return nil, p.fail(codes.AlreadyExists, "the request ID was used before on this session")
	}
	s.requests[request.Key.RequestId] = true
	reply := &contract.ExecuteReply{Key: request.Key, Outcome: contract.Outcome_OUTCOME_APPLIED}
	switch {
	case s.purpose == contract.Purpose_PURPOSE_READ:
		return p.stopped(reply, contract.Outcome_OUTCOME_NOT_STARTED, "the session was opened only to read"), nil
	case !s.standing():
		return p.stopped(reply, contract.Outcome_OUTCOME_NOT_STARTED, "a lock that guards the session was lost"), nil
	case !s.shelf.exists():
		return p.stopped(reply, contract.Outcome_OUTCOME_NOT_STARTED, "the folder does not exist"), nil
	case request.TransactionId != nil:
		return p.stopped(reply, contract.Outcome_OUTCOME_NOT_STARTED, "a shelf has no transactions"), nil
	}
	for _, unit := range request.Units {
		if why := s.run(unit); why != "" {
			outcome := contract.Outcome_OUTCOME_NOT_APPLIED
			if reply.AppliedCount > 0 {
				outcome = contract.Outcome_OUTCOME_PARTIAL
			}
			return p.stopped(reply, outcome, why), nil
		}
		reply.AppliedCount++
	}
	return reply, nil
}

func (p *provider) stopped(reply *contract.ExecuteReply, outcome contract.Outcome, why string) *contract.ExecuteReply {
	reply.Outcome = outcome
	reply.Diagnostic = p.diagnostic(why)
	return reply
}

// diagnostic is for hosts that understand reasons.
func (p *provider) diagnostic(why string) *string {
	for _, feature := range p.described.HostFeatures {
		if feature == reasons {
			return &why
		}
	}
	return nil
}

// run does what one unit says, or says why not and changes nothing.
func (s *session) run(unit *contract.Unit) string {
	statements, faults := parse(unit.GetSql())
	if len(faults) > 0 || len(statements) != 1 {
		return "a unit is one statement, MAKE or REMOVE and a name"
	}
	return s.shelf.run(statements[0])
}

// TryLock makes one attempt and never waits; the same ID gets the first answer.
func (p *provider) TryLock(_ context.Context, request *contract.LockRequest) (*contract.LockReceipt, error) {
	return p.lockCall(request, func(s *session) (contract.LockState, error) {
		if s.purpose == contract.Purpose_PURPOSE_READ {
			return 0, p.fail(codes.FailedPrecondition, "the session was opened only to read")
		}
		return s.tryLock(request.Key.RequestId, request.Key.Scope), nil
	})
}

// CheckLock proves that the lock is held now.
func (p *provider) CheckLock(_ context.Context, request *contract.LockRequest) (*contract.LockReceipt, error) {
	return p.lockCall(request, func(s *session) (contract.LockState, error) {
		return s.checkLock(request.Key.RequestId), nil
	})
}

// ReleaseLock gives the lock back.
func (p *provider) ReleaseLock(_ context.Context, request *contract.LockRequest) (*contract.LockReceipt, error) {
	return p.lockCall(request, func(s *session) (contract.LockState, error) {
		return s.releaseLock(request.Key.RequestId, request.Key.Scope), nil
	})
}

func (p *provider) lockCall(
	request *contract.LockRequest,
	work func(*session) (contract.LockState, error),
) (*contract.LockReceipt, error) {
	s, err := p.keyed(request.Key)
	if err != nil {
		return nil, err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.requests[request.Key.RequestId] {
		return nil, p.fail(codes.AlreadyExists, "the request ID was used before on this session")
	}
	if tried := s.attempts[request.Key.RequestId]; tried != nil && tried.scope != request.Key.Scope {
		return nil, p.fail(codes.InvalidArgument, "the lock ID was used before for another scope")
	}
	state, err := work(s)
	if err != nil {
		return nil, err
	}
	receipt := &contract.LockReceipt{Key: request.Key, State: state}
	if state == contract.LockState_LOCK_STATE_BUSY {
		receipt.Diagnostic = p.diagnostic("another session holds the lock")
	}
	return receipt, nil
}

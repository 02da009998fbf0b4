package main

import (
	"sync"

	"ptah.run/interop/contract"
)

// attempt is what became of a lock ID, which is used for one attempt and remembered for good.
type attempt struct {
	scope string
	first contract.LockState // The first answer to TryLock.
	held  *held
}

// session is one connection. Calls on it are served one after another.
type session struct {
	id        string
	purpose   contract.Purpose
	shelf     shelf
	mutex     sync.Mutex
	requests  map[string]bool
	attempts  map[string]*attempt
	snapshots map[string][]string
	fenced    bool
}

func newSession(on shelf, purpose contract.Purpose) *session {
	return &session{
		id:        randomID(),
		purpose:   purpose,
		shelf:     on,
		requests:  map[string]bool{},
		attempts:  map[string]*attempt{},
		snapshots: map[string][]string{},
	}
}

// standing says whether something may be changed: no lock that guards the session is lost. A loss is for good.
func (s *session) standing() bool {
	for _, tried := range s.attempts {
		if tried.held != nil && !tried.held.holds() {
			s.lost(tried)
		}
	}
	return !s.fenced
}

func (s *session) lost(tried *attempt) {
	tried.held.close()
	tried.held, tried.first, s.fenced = nil, contract.LockState_LOCK_STATE_LOST, true
}

func (s *session) tryLock(id, scope string) contract.LockState {
	if tried := s.attempts[id]; tried != nil {
		return tried.first
	}
	tried := &attempt{scope: scope, first: contract.LockState_LOCK_STATE_LOST}
	s.attempts[id] = tried
	if s.fenced {
		return tried.first
	}
	got, busy := s.shelf.tryLock(scope)
	switch {
	case got != nil:
		tried.held, tried.first = got, contract.LockState_LOCK_STATE_ACQUIRED
	case busy:
		tried.first = contract.LockState_LOCK_STATE_BUSY
	}
	return tried.first
}

func (s *session) checkLock(id string) contract.LockState {
	tried := s.attempts[id]
	if tried == nil || tried.held == nil {
		return contract.LockState_LOCK_STATE_LOST
	}
	if !tried.held.holds() {
		s.lost(tried)
		return contract.LockState_LOCK_STATE_LOST
	}
	return contract.LockState_LOCK_STATE_ACQUIRED
}

// releaseLock gives a lock back, or makes sure that it is never taken under this ID.
func (s *session) releaseLock(id, scope string) contract.LockState {
	tried := s.attempts[id]
	if tried == nil {
		s.attempts[id] = &attempt{scope: scope, first: contract.LockState_LOCK_STATE_LOST}
		return contract.LockState_LOCK_STATE_RELEASED
	}
	if tried.first == contract.LockState_LOCK_STATE_BUSY {
		tried.first = contract.LockState_LOCK_STATE_LOST
	}
	if tried.held == nil {
		return contract.LockState_LOCK_STATE_RELEASED
	}
	if !tried.held.holds() {
		s.lost(tried)
		return contract.LockState_LOCK_STATE_LOST
	}
	tried.held.close()
	tried.held = nil
	return contract.LockState_LOCK_STATE_RELEASED
}

func (s *session) close() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, tried := range s.attempts {
		if tried.held != nil {
			tried.held.close()
			tried.held = nil
		}
	}
}

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
)

// shelf is one database: a folder, in which each box is an empty file. Making and taking away a file are atomic.
type shelf struct {
	folder string
}

var boxName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,100}$`)

func (s shelf) exists() bool {
	info, err := os.Stat(s.folder)
	return err == nil && info.IsDir()
}

// names of the boxes, in order.
func (s shelf) names() ([]string, error) {
	entries, err := os.ReadDir(s.folder)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		if boxName.MatchString(entry.Name()) {
			names = append(names, entry.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

// run does what a statement says, or says why not and changes nothing.
func (s shelf) run(one statement) string {
	if !boxName.MatchString(one.name) {
		return "a box is named by up to 100 letters, digits, `-` and `_`"
	}
	path := filepath.Join(s.folder, one.name)
	if !one.makes {
		if os.Remove(path) != nil {
			return "the box is not there, or cannot be taken away"
		}
		return ""
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "the box is there already, or cannot be made"
	}
	_ = file.Close()
	return ""
}

// held is a lock on an open file. The system gives it back when the process dies.
type held struct {
	file *os.File
}

// tryLock makes one attempt. Without a lock, busy says that another certainly has it.
func (s shelf) tryLock(scope string) (got *held, busy bool) {
	path := filepath.Join(s.folder, ".lock-"+digestOf(scope)[len("sha256:"):])
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, false
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = file.Close()
		return nil, err == syscall.EWOULDBLOCK
	}
	tried := &held{file: file}
	if !tried.holds() {
		tried.close()
		return nil, false
	}
	return tried, false
}

// holds proves that the lock is held now: the file that is locked is the one that others would lock.
func (h *held) holds() bool {
	here, err := h.file.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(h.file.Name())
	return err == nil && os.SameFile(here, there)
}

func (h *held) close() {
	_ = h.file.Close()
}

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// pause is the process of a Pod's sandbox: it waits, and reaps what the other containers of a Pod that shares its
// processes leave behind.
func pause() {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGCHLD)
	for received := range signals {
		if received != syscall.SIGCHLD {
			os.Exit(0)
		}
		for {
			pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
			if pid <= 0 || err != nil {
				break
			}
		}
	}
}

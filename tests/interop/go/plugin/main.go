// The plugin: a provider for an engine in memory, on the real go-plugin. It exists to prove that a provider which shares
// nothing with ours but the protos speaks with our host, and the other way round.
//
// The engine is a shelf of boxes: a folder of empty files (`shelf://folder`). Its language has two statements, `MAKE name`
// and `REMOVE name`, one a line.
package main

import (
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"

	"ptah.run/interop/shared"
)

func main() {
	watchParent()
	served := newProvider()
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig: shared.Handshake,
		Plugins:         plugin.PluginSet{shared.Name: &shared.Provider{Service: served}},
		GRPCServer:      served.newServer,
		Logger:          hclog.NewNullLogger(),
	})
}

// go-plugin does not watch its parent, and a provider must not outlive its host. A host of Ptah says which process it is,
// so that one that is gone already is seen.
func watchParent() {
	parent, err := strconv.Atoi(os.Getenv("PTAH_PROVIDER_PARENT_PID"))
	if err != nil {
		parent = syscall.Getppid()
	}
	go func() {
		for syscall.Getppid() == parent {
			time.Sleep(250 * time.Millisecond)
		}
		os.Exit(1)
	}()
}

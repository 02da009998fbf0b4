// cluster-tool does the small things that the test cluster needs and no program of Kubernetes does: keys and
// kubeconfigs, images of plain folders, the process of a Pod's sandbox, waiting for the API server, and one door from
// the host's loopback into the node's network. It uses the standard library only.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// check ends the program with what went wrong, if something did.
func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "cluster-tool:", err)
		os.Exit(1)
	}
}

func main() {
	if filepath.Base(os.Args[0]) == "pause" {
		pause()
	}
	commands := map[string]func([]string){
		"keys": keys, "listen": listen, "forward": forward, "wait": wait, "image": image,
	}
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		check(fmt.Errorf("usage: cluster-tool keys|listen|forward|wait|image [ARGUMENT]..."))
	}
	commands[os.Args[1]](os.Args[2:])
}

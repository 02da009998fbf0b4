// coredns with the few plugins that the test cluster needs: the names of Services and Pods, and nothing beyond.
package main

import (
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"
	_ "github.com/coredns/coredns/plugin/bind"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/log"
)

func main() {
	dnsserver.Directives = []string{"bind", "errors", "log", "kubernetes"}
	coremain.Run()
}

// kube-api is what a cluster without a node needs, in one executable: etcd, kube-apiserver and
// kube-controller-manager. The name that it is called by, or its first argument, says which one it is.
//
// It is apart from kube-node because the programs of a node are the larger half of the build, and most tests need none.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	_ "time/tzdata" // The time zones of CronJobs.

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
)

func main() {
	name := filepath.Base(os.Args[0])
	if name == "kube-api" && len(os.Args) > 1 {
		os.Args = os.Args[1:]
		name = os.Args[0]
	}
	var command *cobra.Command
	switch name {
	case "etcd":
		etcdmain.Main(os.Args)
		return
	case "kube-apiserver":
		command = apiserver.NewAPIServerCommand()
	case "kube-controller-manager":
		command = controllers.NewControllerManagerCommand()
	default:
		fmt.Fprintln(os.Stderr, "usage: kube-api etcd|kube-apiserver|kube-controller-manager [ARGUMENT]...")
		os.Exit(2)
	}
	os.Exit(cli.Run(command))
}

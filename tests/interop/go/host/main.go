// The host: the real go-plugin starts a provider with mutual TLS and makes real calls. `host calls EXECUTABLE FOLDER` checks
// what our SQLite provider answers; `host measure EXECUTABLE ENGINE ADDRESS FOLDER` prints figures as one line of JSON.
package main

import (
	"fmt"
	"os"
	"os/exec"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"ptah.run/interop/contract"
	"ptah.run/interop/shared"
)

func main() {
	arguments := os.Args[1:]
	var err error
	switch {
	case len(arguments) == 3 && arguments[0] == "calls":
		err = checkCalls(arguments[1], arguments[2])
	case len(arguments) == 5 && arguments[0] == "measure":
		err = measure(arguments[1], arguments[2], arguments[3], arguments[4])
	default:
		err = fmt.Errorf("usage: host calls EXECUTABLE FOLDER | host measure EXECUTABLE ENGINE ADDRESS FOLDER")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// start starts a provider. Its socket goes into the folder, because a provider gets nothing of our environment.
func start(executable, folder string) (*plugin.Client, contract.ProviderClient, error) {
	command := exec.Command(executable)
	command.Env = []string{"PLUGIN_UNIX_SOCKET_DIR=" + folder}
	client := plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig:  shared.Handshake,
		Plugins:          plugin.PluginSet{shared.Name: &shared.Provider{}},
		Cmd:              command,
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		AutoMTLS:         true,
		SkipHostEnv:      true,
		Logger:           hclog.NewNullLogger(),
		GRPCDialOptions: []grpc.DialOption{
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(shared.LargeMessage + 1024)),
		},
	})
	protocol, err := client.Client()
	if err != nil {
		client.Kill()
		return nil, nil, fmt.Errorf("the provider does not start: %w", err)
	}
	raw, err := protocol.Dispense(shared.Name)
	if err != nil {
		client.Kill()
		return nil, nil, fmt.Errorf("the provider's service: %w", err)
	}
	return client, raw.(contract.ProviderClient), nil
}

func describeRequest() *contract.DescribeRequest {
	return &contract.DescribeRequest{
		Contract:         &contract.ContractVersion{Major: 1},
		HostFeatures:     []string{"errors.reasons", "transport.large-messages"},
		RequiredFeatures: []string{"schema.inspect", "schema.render", "units.execute", "sql.analyze"},
		Host:             "interop",
	}
}

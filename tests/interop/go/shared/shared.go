// Package shared has what both sides agree on before they speak the contract.
package shared

import (
	"context"

	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"ptah.run/interop/contract"
)

// Name of the one plugin that an executable serves.
const Name = "provider"

// The limits of a message: the larger one when both sides list transport.large-messages.
const (
	Message      = 4 << 20
	LargeMessage = 64 << 20
)

// Handshake is the bootstrap's agreement: the contract's major and the cookie.
var Handshake = plugin.HandshakeConfig{
	ProtocolVersion:  1,
	MagicCookieKey:   "PTAH_PROVIDER_COOKIE",
	MagicCookieValue: "09065f2a2c73c4d27a12fd27b52acddb4e797aaf572707eba00da794ddf405e1",
}

// Provider is the contract's service as a go-plugin plugin. Service is nil in a host.
type Provider struct {
	plugin.NetRPCUnsupportedPlugin
	Service contract.ProviderServer
}

// GRPCServer registers the service.
func (p *Provider) GRPCServer(_ *plugin.GRPCBroker, server *grpc.Server) error {
	contract.RegisterProviderServer(server, p.Service)
	return nil
}

// GRPCClient makes the client.
func (p *Provider) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, connection *grpc.ClientConn) (any, error) {
	return contract.NewProviderClient(connection), nil
}

package main

import (
	"context"
	"slices"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	"ptah.run/interop/shared"
)

// newServer is go-plugin's default server with the limits of the contract. The transport's own limit cannot change on the
// way, so it is the larger one, and what was negotiated is judged here.
func (p *provider) newServer(options []grpc.ServerOption) *grpc.Server {
	return grpc.NewServer(append(options,
		grpc.MaxRecvMsgSize(shared.LargeMessage),
		grpc.UnaryInterceptor(p.sizedCall),
		grpc.StreamInterceptor(p.sizedStream),
	)...)
}

func (p *provider) limit() int {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.described != nil && slices.Contains(p.described.HostFeatures, large) {
		return shared.LargeMessage
	}
	return shared.Message
}

func (p *provider) checkSize(message any) error {
	if said, is := message.(proto.Message); is && proto.Size(said) > p.limit() {
		return p.fail(codes.ResourceExhausted, "a message is larger than the limit")
	}
	return nil
}

func (p *provider) sizedCall(
	ctx context.Context,
	request any,
	_ *grpc.UnaryServerInfo,
	handler grpc.UnaryHandler,
) (any, error) {
	if err := p.checkSize(request); err != nil {
		return nil, err
	}
	reply, err := handler(ctx, request)
	if err != nil {
		return nil, err
	}
	return reply, p.checkSize(reply)
}

func (p *provider) sizedStream(
	service any,
	stream grpc.ServerStream,
	_ *grpc.StreamServerInfo,
	handler grpc.StreamHandler,
) error {
	return handler(service, sized{stream, p})
}

// sized judges the request of a call whose reply is a stream.
type sized struct {
	grpc.ServerStream
	provider *provider
}

func (s sized) RecvMsg(message any) error {
	if err := s.ServerStream.RecvMsg(message); err != nil {
		return err
	}
	return s.provider.checkSize(message)
}

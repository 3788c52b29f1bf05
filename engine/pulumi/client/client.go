// Package client is a minimal Pulumi engine. It calls a provider over gRPC with
// property values. `declprov try` and tests use it.
package client

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"strings"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/declprov/declprov/engine/pulumi"
)

// maxMessage is the maximum message size of Pulumi.
const maxMessage = 400 << 20

// Client is a connection to one provider. It is safe for concurrent use.
type Client struct {
	provider pulumirpc.ResourceProviderClient
	conn     *grpc.ClientConn
	server   *grpc.Server // nil for a provider that runs elsewhere

	// Stack is the stack in the URNs of calls, "dev" by default. It must be set before
	// the first call.
	Stack string
}

// Start serves a provider in this process and connects to it without a port.
func Start(options pulumi.Options) (*Client, error) {
	const buffer = 64 << 10 // per direction; messages may be larger
	listener := bufconn.Listen(buffer)
	server := pulumi.New(options).GRPC()
	go func() { _ = server.Serve(listener) }() // ends with Close
	conn, err := dial("passthrough:///provider",
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			return listener.DialContext(ctx)
		}))
	if err != nil {
		server.Stop()
		return nil, err
	}
	return &Client{provider: pulumirpc.NewResourceProviderClient(conn), conn: conn, server: server}, nil
}

// Connect connects to a provider on a port of this machine, like the engine.
func Connect(port int) (*Client, error) {
	conn, err := dial(fmt.Sprintf("passthrough:///127.0.0.1:%d", port))
	if err != nil {
		return nil, err
	}
	return &Client{provider: pulumirpc.NewResourceProviderClient(conn), conn: conn}, nil
}

func dial(target string, options ...grpc.DialOption) (*grpc.ClientConn, error) {
	conn, err := grpc.NewClient(target, append(options,
		grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithNoProxy(),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage), grpc.MaxCallSendMsgSize(maxMessage)),
	)...)
	if err != nil {
		return nil, fmt.Errorf("connecting to the provider: %w", err)
	}
	return conn, nil
}

// Close closes the connection, and stops the provider if Start started it.
func (c *Client) Close() error {
	err := c.conn.Close()
	if c.server != nil {
		c.server.Stop()
	}
	return err
}

// Raw returns the client of the protocol, for calls without a method here.
func (c *Client) Raw() pulumirpc.ResourceProviderClient { return c.provider }

// Handshake sends the address of an engine of Pulumi, or "" for none.
func (c *Client) Handshake(ctx context.Context, engineAddress string) error {
	_, err := c.provider.Handshake(ctx, &pulumirpc.ProviderHandshakeRequest{
		EngineAddress:               engineAddress,
		ConfigureWithUrn:            true,
		SupportsViews:               true,
		SupportsRefreshBeforeUpdate: true,
		InvokeWithPreview:           true,
		AcceptsByteString:           true,
	})
	return err
}

// Version returns the version of the plugin.
func (c *Client) Version(ctx context.Context) (string, error) {
	info, err := c.provider.GetPluginInfo(ctx, &emptypb.Empty{})
	return info.GetVersion(), err
}

// Schema returns the package schema as JSON.
func (c *Client) Schema(ctx context.Context) (string, error) {
	res, err := c.provider.GetSchema(ctx, &pulumirpc.GetSchemaRequest{})
	return res.GetSchema(), err
}

// Cancel cancels the operations under way.
func (c *Client) Cancel(ctx context.Context) error {
	_, err := c.provider.Cancel(ctx, &emptypb.Empty{})
	return err
}

// Resource is one resource of a program.
type Resource struct {
	// Type is the token, such as `files:index:File`.
	Type string
	Name string
}

// URN returns the URN of the resource in a stack "dev" of a project "try".
func (r Resource) URN() string { return r.urnIn(defaultStack) }

func (r Resource) urnIn(stack string) string {
	return strings.Join([]string{"urn:pulumi:" + stack, "try", r.Type, r.Name}, "::")
}

const defaultStack = "dev"

// URN returns the URN of a resource in the client's stack.
func (c *Client) URN(r Resource) string { return r.urnIn(cmp.Or(c.Stack, defaultStack)) }

// Package plugin runs the process of a plugin: how Pulumi starts it, who may connect to it, and
// when it ends.
package plugin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"syscall"

	"google.golang.org/grpc"
)

// Process is a plugin process: Pulumi starts it, reads a port from its standard output, and
// connects to that port.
type Process struct {
	Server *grpc.Server
	// EngineAddress is the address of the engine of Pulumi that started the process, "host:port". It is
	// "" if an engine of Pulumi attaches to the process.
	EngineAddress string
	// Stdin is standard input, whose end may mean that Pulumi's engine is gone; nil is not read.
	Stdin io.Reader
	// Hosted says that a language host started the process, and keeps Stdin open as long as it
	// lives. The engine may live longer, and its address may not be known.
	Hosted         bool
	Stdout, Stderr io.Writer
	// ShutDown ends the calls under way and stops Server.
	ShutDown func()
}

// Run listens on a port of the loopback interface, and prints the port on the first line of
// standard output. It serves the connections of this user until ctx ends, SIGINT or SIGTERM
// arrives, or the engine of Pulumi or the language host that started the process is gone. Then it
// shuts down.
func (p Process) Run(ctx context.Context) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listening on the loopback interface: %w", err)
	}
	failed := make(chan error, 1)
	go func() { failed <- p.Server.Serve(ownPeersOnly(listener, p.Stderr)) }()

	port := listener.Addr().(*net.TCPAddr).Port
	if _, err := fmt.Fprintf(p.Stdout, "%d\n", port); err != nil {
		p.Server.Stop()
		return fmt.Errorf("telling Pulumi's engine the port: %w", err)
	}
	orphaned := make(chan struct{})
	switch {
	case p.Stdin == nil:
	case p.Hosted:
		go watchHost(p.Stdin, orphaned)
	case p.EngineAddress != "":
		go watchEngine(ctx, p.Stdin, p.EngineAddress, orphaned)
	}
	select {
	case err := <-failed:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	case <-orphaned:
	}
	p.ShutDown()
	if err := <-failed; err != nil && !errors.Is(err, grpc.ErrServerStopped) {
		return fmt.Errorf("serving: %w", err)
	}
	return nil
}

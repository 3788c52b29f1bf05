package main

import (
	"bufio"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// TestProvidersEndWithTheirHost kills a language host that runs providers, and waits for the end of
// each: whether the engine of Pulumi lives, is gone, or is not known.
func TestProvidersEndWithTheirHost(t *testing.T) {
	engine, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := gone.Close(); err != nil {
		t.Fatal(err)
	}
	folder := layOut(t, map[string]string{
		"pulumi-language-declprov": "-> " + built(t),
		"pets/PulumiPlugin.yaml":   "runtime: declprov\n", "pets/pets.cue": petSpec,
	})
	for name, args := range map[string][]string{
		"engine alive": {engine.Addr().String()}, "engine gone": {gone.Addr().String()}, "engine unknown": nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := command(t, filepath.Join(folder, "pulumi-language-declprov"))
			host := startHost(t, cmd)
			var ports []string
			for range 2 {
				ports = append(ports, servedBy(t, host, cmd.Env, filepath.Join(folder, "pets"), args))
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			for _, port := range ports {
				waitClosed(t, port)
			}
		})
	}
}

// startHost starts a language host, and connects to it.
func startHost(t *testing.T, cmd *exec.Cmd) pulumirpc.LanguageRuntimeClient {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cmd.StdinPipe(); err != nil { // the host runs as long as its standard input is open
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
	})
	port, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the host printed no port: %v", err)
	}
	conn, err := grpc.NewClient("passthrough:///127.0.0.1:"+strings.TrimSpace(port),
		grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithNoProxy())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return pulumirpc.NewLanguageRuntimeClient(conn)
}

// servedBy lets a language host run the provider of a folder, and returns the port of the provider.
func servedBy(t *testing.T, host pulumirpc.LanguageRuntimeClient, env []string, folder string, args []string) (port string) {
	t.Helper()
	stream, err := host.RunPlugin(t.Context(), &pulumirpc.RunPluginRequest{
		Pwd: folder, Env: env, Kind: "resource", Args: args,
		Info: &pulumirpc.ProgramInfo{RootDirectory: folder, ProgramDirectory: folder, EntryPoint: "."},
	})
	if err != nil {
		t.Fatal(err)
	}
	var printed, complained strings.Builder
	for !strings.Contains(printed.String(), "\n") {
		said, err := stream.Recv()
		if err != nil {
			t.Fatalf("the provider printed %q: %v\n%s", printed.String(), err, complained.String())
		}
		printed.Write(said.GetStdout())
		complained.Write(said.GetStderr())
	}
	return strings.TrimSpace(printed.String())
}

// waitClosed waits until no process listens on a port of the loopback interface.
func waitClosed(t *testing.T, port string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		conn, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", port))
		if err != nil {
			return
		}
		_ = conn.Close()
		if time.Now().After(end) {
			t.Fatal("the provider is still there")
		}
	}
}

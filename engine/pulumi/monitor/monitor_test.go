package monitor_test

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/engine/pulumi/monitor"
	"github.com/declprov/declprov/engine/pulumi/wire"
	"github.com/declprov/declprov/spec/decode"
)

const (
	made    = "urn:pulumi:dev::try::files:index:File::made"
	pending = "urn:pulumi:dev::try::files:index:File::pending"
)

func connect(t *testing.T) *monitor.Monitor {
	t.Helper()
	engine, err := client.StartMonitor()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(engine.Stop)
	engine.Record(made, "a.txt", outputs(map[string]*structpb.Value{
		"path": wire.String("a.txt"), "token": wire.Secret(wire.String("hush")), "__declprov": wire.String(`{"v":1}`),
	}))
	engine.Record(pending, "", outputs(map[string]*structpb.Value{"path": wire.String(wire.Unknown)}))
	m, err := monitor.Dial(engine.Address(), decode.DefaultValues)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return m
}

func outputs(fields map[string]*structpb.Value) *structpb.Struct {
	return &structpb.Struct{Fields: fields}
}

func TestResource(t *testing.T) {
	m := connect(t)
	cases := []struct {
		name, urn string
		want      monitor.Resource
	}{
		{"made", made, monitor.Resource{URN: made, ID: "a.txt", Outputs: outputs(map[string]*structpb.Value{
			"path": wire.String("a.txt"), "token": wire.Secret(wire.String("hush")), "__declprov": wire.String(`{"v":1}`),
		})}},
		{"in the preview of its create", pending, monitor.Resource{URN: pending, Outputs: outputs(map[string]*structpb.Value{
			"path": wire.String(wire.Unknown),
		})}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := m.Resource(t.Context(), c.urn)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got, protocmp.Transform()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestUnknownResourceIsNamed(t *testing.T) {
	const urn = "urn:pulumi:dev::try::files:index:File::other"
	_, err := connect(t).Resource(t.Context(), urn)
	if err == nil || !strings.Contains(err.Error(), urn) {
		t.Errorf("error = %v, want one that names %s", err, urn)
	}
}

func TestNoEndpoint(t *testing.T) {
	if m, err := monitor.Dial("", 0); err == nil {
		_ = m.Close()
		t.Error("Dial took an empty endpoint")
	}
}

// TestSilentMonitor: an engine that takes the connection and never answers does
// not hold a request beyond its context.
func TestSilentMonitor(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	m, err := monitor.Dial(silent.Addr().String(), decode.DefaultValues)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if r, err := m.Resource(ctx, made); err == nil {
		t.Errorf("Resource = %v, want an error", r)
	}
}

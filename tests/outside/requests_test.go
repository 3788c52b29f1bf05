package outside

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/tests/internal/provider"
)

// TestManyValuesInARequest: what a program says is counted like what a server says,
// before it takes any memory.
func TestManyValuesInARequest(t *testing.T) {
	t.Setenv("DECLPROV_JOURNAL", t.TempDir())
	p := provider.Configured(t, provider.Folder(t, "big", "tests/outside/testdata/big.cue"), "big", t.TempDir(),
		map[string]property.Value{"endpoint": property.New("http://127.0.0.1:1")})
	urn := p.URN(client.Resource{Type: "big:index:Made", Name: "it"})
	calls := map[string]func(ctx context.Context, s *structpb.Struct) error{
		"check": func(ctx context.Context, s *structpb.Struct) error {
			_, err := p.Raw().Check(ctx, &pulumirpc.CheckRequest{Urn: urn, Name: "it", Type: "big:index:Made", News: s})
			return err
		},
		"function": func(ctx context.Context, s *structpb.Struct) error {
			_, err := p.Raw().Invoke(ctx, &pulumirpc.InvokeRequest{Tok: "big:index:get", Args: s})
			return err
		},
		"configuration": func(ctx context.Context, s *structpb.Struct) error {
			_, err := p.Raw().CheckConfig(ctx, &pulumirpc.CheckRequest{Urn: "urn:pulumi:dev::p::pulumi:providers:big::it", News: s})
			return err
		},
	}
	for shape, item := range map[string]*structpb.Value{
		"objects": structpb.NewStructValue(&structpb.Struct{}), "numbers": structpb.NewNumberValue(1), "strings": structpb.NewStringValue("a"),
	} {
		values := make([]*structpb.Value, size/11) // a number takes eleven bytes
		for i := range values {
			values[i] = item
		}
		s := &structpb.Struct{Fields: map[string]*structpb.Value{"shape": structpb.NewListValue(&structpb.ListValue{Values: values})}}
		for name, call := range calls {
			if err := call(t.Context(), s); err == nil || !strings.Contains(err.Error(), "contains more than 1000000 values") {
				t.Errorf("%s in a %s: %.300v", shape, name, err)
			}
		}
	}
	if runtime.GOOS != "linux" {
		return // elsewhere nothing says how much memory a process has had
	}
	if used := peak(t, p.PID); used > mostMemory {
		t.Errorf("the provider took %d MiB", used>>20)
	}
}

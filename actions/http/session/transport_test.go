package session

import (
	"testing"

	"github.com/declprov/declprov/actions/sys/network"
)

// TestNoProxyOfTheEnvironment checks that the transport ignores the environment's proxy. It
// inspects the transport, since net/http never uses a proxy for local addresses, such as the
// servers of other tests.
func TestNoProxyOfTheEnvironment(t *testing.T) {
	n, err := network.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	if bare, err := newTransport(n, route{}); err != nil || bare.Proxy != nil {
		t.Errorf("the transport uses the environment's proxy: %v", err)
	}
}

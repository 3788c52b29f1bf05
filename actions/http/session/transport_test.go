package session

import (
	"testing"

	"github.com/declprov/declprov/actions/sys/network"
)

// TestNoProxyOfTheEnvironment: no proxy of the environment's is asked for what is on this
// machine, as the servers of other tests are; so its absence is looked for where it would be.
func TestNoProxyOfTheEnvironment(t *testing.T) {
	n, err := network.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	if bare, err := newTransport(n, route{}); err != nil || bare.Proxy != nil {
		t.Errorf("the environment's proxy would be asked: %v", err)
	}
}

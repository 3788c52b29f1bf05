package pulumicli

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"sync"
)

// stackKey is the secrets provider of a stack that has its key from a KeyService.
const stackKey = "hashivault://stack"

// KeyService returns the URL of a service on loopback that has one key for all stacks
// of this process. It answers as Vault does, as far as the CLI asks.
//
// The CLI derives a stack's key from a passphrase by a million rounds of a hash, in
// every process: half of what a small `pulumi up` computes. With a key service it
// encrypts in the same way, and has the key at once.
var KeyService = sync.OnceValues(func() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("serving the key of stacks: %w", err)
	}
	key := make([]byte, 32)
	_, _ = rand.Read(key) // it never fails
	plain := base64.StdEncoding.EncodeToString(key)
	go func() {
		// It ends with the process.
		_ = http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"data": {"plaintext": %q}}`, plain)
		}))
	}()
	return "http://" + l.Addr().String(), nil
})

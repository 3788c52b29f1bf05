package pulumicli

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"sync"
)

// StackKey is the secrets provider of a stack that uses a KeyService, whose URL the CLI finds in
// the variable KeyServiceVariable.
const (
	StackKey           = "hashivault://stack"
	KeyServiceVariable = "VAULT_SERVER_URL"
)

// KeyService returns the URL of a service on loopback with one key for all stacks of this
// process. It implements the part of Vault's API that the CLI uses.
//
// From a passphrase, the CLI derives the key by a million hash rounds in every process, which
// is half of the CPU time of a small `pulumi up`. With a key service, encryption is the same,
// but the key is available immediately.
var KeyService = sync.OnceValues(func() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("starting the key service: %w", err)
	}
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	plain := base64.StdEncoding.EncodeToString(key)
	go func() {
		// The server runs until the process ends.
		_ = http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"data": {"plaintext": %q, "ciphertext": "vault:v1:c3RhY2s="}}`, plain)
		}))
	}()
	return "http://" + l.Addr().String(), nil
})

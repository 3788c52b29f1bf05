package database

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions/sql/statement"
)

// TestVerifier checks the server key of a verifier with the example of RFC 7677, 3.
func TestVerifier(t *testing.T) {
	salt, err := base64.StdEncoding.DecodeString("W22ZaJ0SNY7soEsUEjb6gQ==")
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := scramVerifier("pencil", salt)
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(verifier[strings.LastIndex(verifier, "$"):], ":")
	key, err := base64.StdEncoding.DecodeString(code)
	if err != nil {
		t.Fatal(err)
	}
	const nonce = "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
	const message = "n=user,r=rOprNGfwEbeRWgbNEkqO," + nonce + ",s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096,c=biws," + nonce
	if got := base64.StdEncoding.EncodeToString(hmacOf(key, message)); got != "6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=" {
		t.Errorf("the signature by %s is %s", verifier, got)
	}
}

// TestTheEnvironmentConfiguresNothing checks that variables of libpq do not change where and
// how a connection is made.
func TestTheEnvironmentConfiguresNothing(t *testing.T) {
	for _, name := range []string{"PGHOST", "PGUSER", "PGDATABASE", "PGPASSWORD", "PGSSLROOTCERT", "PGSSLMODE", "PGOPTIONS", "PGTZ"} {
		t.Setenv(name, "require")
	}
	config, err := postgres{}.config(&target{Driver: string(statement.PostgreSQL), Host: "db.example.com", Port: 5432, User: "me", Password: "mine"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := []any{config.Host, config.Port, config.User, config.Password, config.Database, len(config.Fallbacks), config.TLSConfig.ServerName, config.TLSConfig.RootCAs == nil, config.RuntimeParams["options"], config.RuntimeParams["timezone"]}
	if diff := cmp.Diff([]any{"db.example.com", uint16(5432), "me", "mine", "me", 0, "db.example.com", true, "", ""}, got); diff != "" {
		t.Error(diff)
	}
}

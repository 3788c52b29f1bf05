package spec_test

import (
	"testing"

	"github.com/declprov/declprov/spec"
)

func TestWireName(t *testing.T) {
	t.Parallel()
	for declared, want := range map[string]string{
		"petId": "pet_id", "petID": "pet_id", "petIDs": "pet_ids", "IDs": "ids", "petIDsOfStore": "pet_ids_of_store", "URLs2": "urls2", "IDsURL": "ids_url",
		"HTTPServer": "http_server", "HTTPSet": "http_set", "pet_name": "pet_name", "a-b": "a_b", "isAlive": "is_alive", "hasASet": "has_a_set", "x": "x", "ipV4s": "ip_v4s",
	} {
		if got := spec.WireName("snake_case", declared); got != want {
			t.Errorf("%s is %s, want %s", declared, got, want)
		}
	}
	for rule, want := range map[string]string{"kebab-case": "pet-ids", "camelCase": "petIds", "PascalCase": "PetIds", "": "petIDs"} {
		if got := spec.WireName(rule, "petIDs"); got != want {
			t.Errorf("%s: %s, want %s", rule, got, want)
		}
	}
}

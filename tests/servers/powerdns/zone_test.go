package powerdns

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumitest"
)

// open starts a server, and a stack whose provider is the example alone.
func open(t *testing.T) (*server, *pulumitest.Stack) {
	t.Helper()
	s := start(t)
	folder := provider.Folder(t, "powerdns", "examples/powerdns.cue")
	return s, pulumitest.New(t, pulumitest.Providers{"powerdns": folder}, s.env()...)
}

func zone(properties string) string {
	return "resources:\n  z: {type: powerdns:Zone, properties: {" + properties + "}}\n"
}

const org = "example.org."

// step is one program, what `up` does for it, and what the server has then.
type step struct {
	properties, ops string
	zone            map[string]any
	nameservers     []string
}

// TestEachPropertyOfAZone changes one property after the other, in place.
func TestEachPropertyOfAZone(t *testing.T) {
	t.Parallel()
	server, s := open(t)
	steps := []step{
		{
			"name: example.org., nameservers: [ns2.example.net., ns1.example.net.]", "create=1",
			map[string]any{"kind": "Native", "account": "", "soa_edit_api": "DEFAULT"},
			[]string{"ns1.example.net.", "ns2.example.net."},
		},
		{
			"name: example.org., nameservers: [ns1.example.net., ns2.example.net.]", "same=1",
			map[string]any{"kind": "Native"},
			[]string{"ns1.example.net.", "ns2.example.net."},
		},
		{
			"name: example.org., nameservers: [ns1.example.net., ns3.example.net.]", "update=1",
			map[string]any{"kind": "Native"},
			[]string{"ns1.example.net.", "ns3.example.net."},
		},
		{
			"name: example.org., nameservers: [ns1.example.net.], kind: Master, account: ada", "update=1",
			map[string]any{"kind": "Master", "account": "ada"},
			[]string{"ns1.example.net."},
		},
		{
			"name: example.org., nameservers: [ns1.example.net.], kind: Master, soaEditApi: INCREASE", "update=1",
			map[string]any{"kind": "Master", "account": "", "soa_edit_api": "INCREASE"},
			[]string{"ns1.example.net."},
		},
		{
			"name: example.org., kind: Slave, masters: [192.0.2.2, 192.0.2.1]", "update=1",
			map[string]any{"kind": "Slave", "soa_edit_api": "DEFAULT"},
			nil,
		},
		{
			"name: example.org., kind: Slave, masters: [192.0.2.2]", "update=1",
			map[string]any{"kind": "Slave", "masters": []any{"192.0.2.2"}},
			nil,
		},
	}
	for _, step := range steps {
		s.Program(zone(step.properties))
		s.Up(step.ops)
		got := server.zone(t, org)
		for name, want := range step.zone {
			if diff := cmp.Diff(want, got[name]); diff != "" {
				t.Errorf("%s: %s (-want +got):\n%s", step.properties, name, diff)
			}
		}
		if diff := cmp.Diff(step.nameservers, server.records(t, org, org, "NS")); diff != "" {
			t.Errorf("%s: name servers (-want +got):\n%s", step.properties, diff)
		}
		s.Up("same=1")
	}
	s.Destroy("delete=1")
	if status, _ := server.Do(t, "GET", "/zones/"+org, nil); status != 404 {
		t.Errorf("the zone answers %d after it was destroyed", status)
	}
}

func TestWhatTheServerMakesOfAZone(t *testing.T) {
	t.Parallel()
	_, s := open(t)
	s.Program(zone("name: example.org., nameservers: [ns1.example.net.]"))
	s.Up("create=1")
	recorded := s.Recorded("z")
	soa, _ := recorded.Outputs["soa"].(string)
	if !regexp.MustCompile(`^\S+ hostmaster\.example\.org\. \d{10} 10800 3600 604800 3600$`).MatchString(soa) {
		t.Errorf("the SOA record is %q", soa)
	}
	if serial, _ := recorded.Outputs["serial"].(float64); serial < 2024010100 || recorded.ID != org {
		t.Errorf("id %q, serial %v", recorded.ID, recorded.Outputs["serial"])
	}
}

func TestAZoneIsReplacedByItsName(t *testing.T) {
	t.Parallel()
	server, s := open(t)
	s.Program(zone("name: example.org."))
	s.Up("create=1")
	s.Program(zone("name: EXAMPLE.org."))
	s.Up("same=1") // names have no case
	s.Program(zone("name: example.com."))
	s.Up("create-replacement=1 delete-replaced=1 replace=1")
	s.Up("same=1")
	if status, _ := server.Do(t, "GET", "/zones/"+org, nil); status != 404 {
		t.Errorf("the old zone answers %d", status)
	}
}

func TestDriftOfAZone(t *testing.T) {
	t.Parallel()
	server, s := open(t)
	s.Program(zone("name: example.org., nameservers: [ns1.example.net.], account: ada"))
	s.Up("create=1")
	server.write(t, org, org, "NS", "ns9.example.net.")
	server.Must(t, "PUT", "/zones/"+org, map[string]any{"account": "mallory"})
	s.Refresh("update Zone z")
	s.Up("update=1")
	if got := server.zone(t, org)["account"]; got != "ada" {
		t.Errorf("the account is %v", got)
	}
	if diff := cmp.Diff([]string{"ns1.example.net."}, server.records(t, org, org, "NS")); diff != "" {
		t.Error(diff)
	}
	s.Up("same=1")

	server.Must(t, "DELETE", "/zones/"+org, nil)
	s.Refresh("delete Zone z")
	s.Up("create=1")
}

func TestImportOfAZone(t *testing.T) {
	t.Parallel()
	server, s := open(t)
	server.Must(t, "POST", "/zones", map[string]any{
		"name": org, "kind": "Master", "nameservers": []string{"ns1.example.net."}, "account": "ada", "soa_edit_api": "EPOCH",
	})
	s.Import("powerdns:index:Zone", "z", org)
	s.Program(zone("name: example.org., nameservers: [ns1.example.net.], kind: Master, account: ada, soaEditApi: EPOCH"))
	s.Up("same=1")
	s.Destroy("delete=1")
}

// TestAZoneThatIsThere shows that a zone of somebody else is found before anything
// is sent: it stays as it is, the state has nothing, and the message says how it
// can become the program's.
func TestAZoneThatIsThere(t *testing.T) {
	t.Parallel()
	server, s := open(t)
	server.Must(t, "POST", "/zones", map[string]any{"name": org, "kind": "Native", "nameservers": []string{}, "account": "ada"})
	s.Program(zone("name: example.org."))
	said := strings.Join(s.Fails(s.Project.Up(t.Context())), "\n")
	if !strings.Contains(said, `exists already (its id is "example.org.")`) || !strings.Contains(said, "import it") {
		t.Errorf("the error does not say that it exists, and how to import it:\n%s", said)
	}
	s.Unrecorded("z")
	if got := server.zone(t, org)["account"]; got != "ada" {
		t.Errorf("the zone that was there has the account %v", got)
	}
}

func TestAWrongKeyIsSaidOnce(t *testing.T) {
	t.Parallel()
	server := start(t)
	s := pulumitest.New(t, pulumitest.Providers{"powerdns": provider.Folder(t, "powerdns", "examples/powerdns.cue")},
		"PDNS_ENDPOINT="+server.endpoint, "PDNS_API_KEY=not-the-key-at-all")
	s.Program(zone("name: example.org."))
	said := strings.Join(s.Fails(s.Project.Up(t.Context())), "\n")
	if !strings.Contains(said, "configuration does not work") || !strings.Contains(said, "401") {
		t.Errorf("the error does not say what is wrong:\n%s", said)
	}
	if strings.Contains(said, "not-the-key-at-all") {
		t.Errorf("the error has the key:\n%s", said)
	}
}

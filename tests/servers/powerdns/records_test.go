package powerdns

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// set is a program with a zone and one set of records in it.
func set(properties string) string {
	return zone("name: example.org.") +
		"  r: {type: powerdns:RecordSet, properties: {zone: \"${z.name}\", " + properties + "}}\n"
}

func TestEachPropertyOfARecordSet(t *testing.T) {
	t.Parallel()
	server, s := open(t)
	const www = "www.example.org."
	for _, step := range []struct {
		properties, ops, kind string
		ttl                   float64
		records               []string
		comment               any
	}{
		{"name: www.example.org., type: A, records: [192.0.2.2, 192.0.2.1]", "create=2", "A", 3600, []string{"192.0.2.1", "192.0.2.2"}, nil},
		{"name: www.example.org., type: A, records: [192.0.2.1, 192.0.2.2]", "same=2", "A", 3600, []string{"192.0.2.1", "192.0.2.2"}, nil},
		{"name: WWW.example.org., type: A, records: [192.0.2.1], ttl: 60", "same=1 update=1", "A", 60, []string{"192.0.2.1"}, nil},
		{"name: www.example.org., type: A, records: [192.0.2.1], ttl: 60, comment: mine", "same=1 update=1", "A", 60, []string{"192.0.2.1"}, "mine"},
		{"name: www.example.org., type: A, records: [192.0.2.1]", "same=1 update=1", "A", 3600, []string{"192.0.2.1"}, nil},
		{
			`name: www.example.org., type: TXT, records: ['"a b"']`, "create-replacement=1 delete-replaced=1 replace=1 same=1",
			"TXT", 3600,
			[]string{`"a b"`},
			nil,
		},
	} {
		s.Program(set(step.properties))
		s.Up(step.ops)
		got := server.set(t, org, www, step.kind)
		if got["ttl"] != step.ttl {
			t.Errorf("%s: ttl %v", step.properties, got["ttl"])
		}
		var comment any
		if all, _ := got["comments"].([]any); len(all) > 0 {
			comment = all[0].(map[string]any)["content"]
		}
		if comment != step.comment {
			t.Errorf("%s: comment %v", step.properties, comment)
		}
		if diff := cmp.Diff(step.records, server.records(t, org, www, step.kind)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.properties, diff)
		}
		s.Up("same=2")
	}
	if left := server.records(t, org, www, "A"); left != nil {
		t.Errorf("what was replaced is still there: %v", left)
	}
	s.Refresh("same RecordSet r", "same Zone z")
	s.Destroy("delete=2")
}

func TestDriftOfARecordSet(t *testing.T) {
	t.Parallel()
	server, s := open(t)
	const www = "www.example.org."
	s.Program(set("name: www.example.org., type: A, records: [192.0.2.1]"))
	s.Up("create=2")
	server.write(t, org, www, "A", "192.0.2.66")
	s.Refresh("same Zone z", "update RecordSet r")
	s.Up("same=1 update=1")
	if diff := cmp.Diff([]string{"192.0.2.1"}, server.records(t, org, www, "A")); diff != "" {
		t.Error(diff)
	}
	server.write(t, org, www, "A")
	s.Refresh("delete RecordSet r", "same Zone z")
	s.Up("create=1 same=1")
	server.Must(t, "DELETE", "/zones/"+org, nil)
	s.Refresh("delete RecordSet r", "delete Zone z")
	s.Up("create=2")
}

func TestImportOfARecordSet(t *testing.T) {
	t.Parallel()
	server, s := open(t)
	server.Must(t, "POST", "/zones", map[string]any{"name": org, "kind": "Native", "nameservers": []string{}})
	server.write(t, org, "www.example.org.", "A", "192.0.2.1", "192.0.2.2")
	s.Import("powerdns:index:Zone", "z", org)
	s.Import("powerdns:index:RecordSet", "r", "example.org./www.example.org./A")
	s.Program(set("name: www.example.org., type: A, ttl: 60, records: [192.0.2.2, 192.0.2.1]"))
	s.Up("same=2")
}

func TestARecordSetThatIsThere(t *testing.T) {
	t.Parallel()
	server, s := open(t)
	s.Program(zone("name: example.org."))
	s.Up("create=1")
	server.write(t, org, "www.example.org.", "A", "192.0.2.66")
	s.Program(set("name: www.example.org., type: A, records: [192.0.2.1]"))
	said := strings.Join(s.Fails(s.Project.Up(t.Context())), "\n")
	if !strings.Contains(said, "there are such records already; import them") {
		t.Errorf("the error does not say what is wrong:\n%s", said)
	}
	s.Unrecorded("r")
	if diff := cmp.Diff([]string{"192.0.2.66"}, server.records(t, org, "www.example.org.", "A")); diff != "" {
		t.Errorf("what was there is not as it was:\n%s", diff)
	}
}

func TestTheServersRefusalOfARecord(t *testing.T) {
	t.Parallel()
	_, s := open(t)
	s.Program(set("name: www.example.com., type: A, records: [192.0.2.1]"))
	said := strings.Join(s.Fails(s.Project.Up(t.Context())), "\n")
	if !strings.Contains(said, "Name is out of zone") || !strings.Contains(said, "422") {
		t.Errorf("the error is not the server's:\n%s", said)
	}
	s.Unrecorded("r")
}

package aws

import (
	"fmt"
	"strings"
	"testing"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumitest"
)

const spec = "tests/servers/aws/testdata/cloud.cue"

func (c *cloud) environment() []string {
	return []string{"SKIES_ENDPOINT=" + c.base, "SKIES_KEY_ID=" + c.keyID, "SKIES_SECRET_KEY=" + c.secretKey}
}

// program has one resource of each service. Moto verifies the signature of a form after it has
// encoded the form again, with + for a space; so there are no spaces in the values of the role.
func program(bucket, color, sid string, timeout int, mode string) string {
	return fmt.Sprintf(`resources:
  bucket:
    type: skies:Bucket
    properties:
      bucket: %[1]s
      tags: {color: %[2]s, "a key": "1 & <2>"}
      policy: '{"Version": "2012-10-17", "Statement": [{"Sid": "%[3]s", "Effect": "Allow", "Principal": "*", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::%[1]s/*"}]}'
  queue:
    type: skies:Queue
    properties: {queue: jobs, visibilityTimeout: %[4]d}
  role:
    type: skies:Role
    properties:
      role: worker
      trust: '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Service":"ec2.amazonaws.com"},"Action":"sts:AssumeRole"}]}'
      tags: {team: "ops+dev", stage: test}
      policy: '{"Version":"2012-10-17","Statement":[{"Sid":"%[3]s","Effect":"Allow","Action":"sqs:*","Resource":"*"}]}'
  table:
    type: skies:Table
    properties: {table: people, mode: %[5]s}
`, bucket, color, sid, timeout, mode)
}

// TestCloud takes a bucket, a queue, a role and a table through their lives, with signatures that
// the emulator verifies.
func TestCloud(t *testing.T) {
	c := start(t)
	s := pulumitest.New(t, pulumitest.Providers{"skies": provider.Folder(t, "skies", spec)}, c.environment()...)
	s.Program(program("letters", "red", "One", 30, "PAY_PER_REQUEST"))
	s.Up("create=4")
	s.Up("same=4")
	s.Refresh("same Bucket bucket", "same Queue queue", "same Role role", "same Table table")

	s.Program(program("letters", "blue", "Two", 60, "PROVISIONED"))
	s.Up("update=4")
	s.Up("same=4")

	// Another stack changes what this one made: that is drift here.
	other := pulumitest.New(t, pulumitest.Providers{"skies": provider.Folder(t, "skies", spec)}, c.environment()...)
	other.Program("resources: {}\n")
	for name, id := range map[string]string{"Bucket": "letters", "Queue": "jobs", "Role": "worker", "Table": "people"} {
		other.Import("skies:index:"+name, strings.ToLower(name), id)
	}
	other.Program(program("letters", "green", "Three", 90, "PROVISIONED"))
	other.Up("same=1 update=3")
	s.Refresh("same Table table", "update Bucket bucket", "update Queue queue", "update Role role")
	s.Up("same=1 update=3")

	s.Program(program("parcels", "blue", "Two", 60, "PROVISIONED"))
	s.Up("create-replacement=1 delete-replaced=1 replace=1 same=3")
	s.Destroy("delete=4")

	for name, text := range s.Files() {
		if strings.Contains(text, c.secretKey) {
			t.Errorf("%s contains the secret key", name)
		}
	}
}

// TestWrongKey has a key that the emulator refuses.
func TestWrongKey(t *testing.T) {
	c := start(t)
	c.secretKey += "x"
	s := pulumitest.New(t, pulumitest.Providers{"skies": provider.Folder(t, "skies", spec)}, c.environment()...)
	s.Program(program("letters", "red", "One", 30, "PAY_PER_REQUEST"))
	r, err := s.Project.Up(t.Context())
	refused := 0
	for _, text := range s.Fails(r, err) {
		if strings.Contains(text, "403 Forbidden") {
			refused++
		}
		if strings.Contains(text, c.secretKey) {
			t.Errorf("the secret key is in a message: %s", text)
		}
	}
	if refused != 4 {
		t.Errorf("%d creates were refused, want 4\n%s", refused, r.Stdout)
	}
}

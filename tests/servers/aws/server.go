// Package aws tests testdata/cloud.cue against an emulator of Amazon's services that verifies
// signatures.
package aws

import (
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/declprov/declprov/tests/internal/daemon"
	"github.com/declprov/declprov/tests/internal/tools"
)

// cloud is a Moto with one user, who may do everything.
type cloud struct{ base, keyID, secretKey string }

// setUp is how many requests are served without a signature: those that make the user.
const setUp = "3"

func start(t *testing.T) *cloud {
	t.Helper()
	program := tools.Need(t, tools.Moto)
	t.Setenv("INITIAL_NO_AUTH_ACTION_COUNT", setUp)
	port := daemon.FreePort(t)
	daemon.Start(t, t.TempDir(), port, program, "-H", "127.0.0.1", "-p", strings.TrimPrefix(daemon.Loopback(port), "127.0.0.1:"))
	c := &cloud{base: "http://" + daemon.Loopback(port)}
	c.iam(t, url.Values{"Action": {"CreateUser"}, "UserName": {"ada"}})
	c.iam(t, url.Values{"Action": {"PutUserPolicy"}, "UserName": {"ada"}, "PolicyName": {"all"}, "PolicyDocument": {
		`{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}`,
	}})
	key := c.iam(t, url.Values{"Action": {"CreateAccessKey"}, "UserName": {"ada"}})
	c.keyID, c.secretKey = element(t, key, "AccessKeyId"), element(t, key, "SecretAccessKey")
	return c
}

// iam sends a request without a valid signature, and returns the response.
func (c *cloud) iam(t *testing.T, form url.Values) string {
	t.Helper()
	form.Set("Version", "2010-05-08")
	r, err := http.NewRequestWithContext(t.Context(), "POST", c.base, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=none/20260101/us-east-1/iam/aws4_request, SignedHeaders=host, Signature=none")
	resp, err := (&http.Client{Timeout: 30 * time.Second}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %v\n%s", form.Get("Action"), resp.StatusCode, err, body)
	}
	return string(body)
}

func element(t *testing.T, text, name string) string {
	t.Helper()
	found := regexp.MustCompile("<" + name + ">(.*?)</" + name + ">").FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("no %s in %s", name, text)
	}
	return found[1]
}

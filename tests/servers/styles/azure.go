package styles

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// manager emulates Azure Resource Manager: tokens, api-version, and operations that take two reads.
type manager struct {
	mu         sync.Mutex
	url        string
	objects    map[string]map[string]any
	operations map[string]func() // what an operation does when it is done; nil if it is done
	polls      map[string]int
}

const (
	armSecret = "q~W8/+=&secret"
	armToken  = "arm-token"
)

func startAzure(t *testing.T) []style {
	t.Helper()
	m := &manager{objects: map[string]map[string]any{}, operations: map[string]func(){}, polls: map[string]int{}}
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	m.url = server.URL
	return []style{{
		page: "azure", provider: "arm", resource: "Cache",
		env: []string{
			"ARM_ENDPOINT=" + m.url, "ARM_AUTHORITY=" + m.url + "/login", "ARM_TENANT_ID=tenant", "ARM_SUBSCRIPTION_ID=sub", "ARM_CLIENT_ID=app", "ARM_CLIENT_SECRET=" + armSecret,
		},
		quick:   `"10s"`,
		created: "group: web, name: one, location: west, tags: {team: a}", updated: "group: web, name: one, location: west, sku: Standard, capacity: 1", replaced: "group: web, name: two, location: west",
		had: [3][]string{{"one Basic 0 map[team:a]"}, {"one Standard 1 <nil>"}, {"two Basic 0 <nil>"}},
		things: func(*testing.T) (out []string) {
			m.mu.Lock()
			defer m.mu.Unlock()
			for _, path := range slices.Sorted(maps.Keys(m.objects)) {
				o := m.objects[path]
				sku := o["properties"].(map[string]any)["sku"].(map[string]any)
				out = append(out, fmt.Sprint(path[strings.LastIndex(path, "/")+1:], " ", sku["name"], " ", sku["capacity"], " ", o["tags"]))
			}
			return out
		},
		drift: func(*testing.T) {
			m.mu.Lock()
			defer m.mu.Unlock()
			for _, o := range m.objects {
				o["tags"] = map[string]any{"team": "b"}
			}
		},
	}}
}

func (m *manager) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	fail := func(status int, code, message string) {
		respond(w, status, map[string]any{"error": map[string]any{"code": code, "message": message}})
	}
	if r.URL.Path == "/login/tenant/oauth2/v2.0/token" {
		id, secret, basic := r.BasicAuth()
		if !basic {
			id, secret = r.PostFormValue("client_id"), r.PostFormValue("client_secret")
		}
		if id != "app" || secret != armSecret && !basic || r.PostFormValue("scope") != "https://management.azure.com/.default" {
			respond(w, http.StatusUnauthorized, map[string]any{"error": "invalid_client"})
			return
		}
		respond(w, http.StatusOK, map[string]any{"token_type": "Bearer", "expires_in": 3599, "access_token": armToken})
		return
	}
	path := strings.TrimPrefix(r.URL.Path, "/subscriptions/sub")
	switch version := r.URL.Query()["api-version"]; {
	case r.Header.Get("Authorization") != "Bearer "+armToken:
		fail(http.StatusUnauthorized, "AuthenticationFailed", "the token is not valid")
	case len(version) != 1:
		fail(http.StatusBadRequest, "MissingApiVersionParameter", fmt.Sprintf("api-version is required once, got %q", version))
	case strings.HasPrefix(path, "/operations/"):
		m.poll(w, path)
	case r.Method == http.MethodPut:
		m.put(w, r, path)
	case m.objects[path] == nil:
		fail(http.StatusNotFound, "ResourceNotFound", "there is no "+path)
	case r.Method == http.MethodDelete:
		m.begin(w, http.StatusAccepted, nil, func() { delete(m.objects, path) })
	default:
		respond(w, http.StatusOK, m.objects[path])
	}
}

func (m *manager) put(w http.ResponseWriter, r *http.Request, path string) {
	var sent map[string]any
	if json.NewDecoder(r.Body).Decode(&sent) != nil {
		respond(w, http.StatusBadRequest, map[string]any{"error": map[string]any{"code": "InvalidRequestContent", "message": "no JSON"}})
		return
	}
	properties := sent["properties"].(map[string]any)
	properties["provisioningState"] = "Creating"
	m.objects[path] = sent
	m.begin(w, http.StatusCreated, sent, func() {
		properties["provisioningState"] = "Succeeded"
		properties["hostName"] = path[strings.LastIndex(path, "/")+1:] + ".redis.example.com"
	})
}

// begin starts an operation.
func (m *manager) begin(w http.ResponseWriter, status int, body any, done func()) {
	path := fmt.Sprintf("/operations/%d", len(m.operations)+1)
	m.operations[path] = done
	w.Header().Set("Azure-AsyncOperation", m.url+"/subscriptions/sub"+path+"?api-version=2020-01-01")
	w.Header().Set("Retry-After", "0")
	respond(w, status, body)
}

func (m *manager) poll(w http.ResponseWriter, path string) {
	status := "InProgress"
	if m.polls[path]++; m.polls[path] > 1 {
		status = "Succeeded"
		if done := m.operations[path]; done != nil {
			done()
			m.operations[path] = nil
		}
	}
	respond(w, http.StatusOK, map[string]any{"id": path, "status": status})
}

func respond(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if body != nil {
		_ = json.NewEncoder(w).Encode(body)
	}
}

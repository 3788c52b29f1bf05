package journal

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"sync"

	"github.com/declprov/declprov/spec/lists"
)

// Provider is the journal of a configured provider, with what its intents record of the
// configuration.
type Provider struct {
	// Open opens the journal, once.
	Open func() (*Journal, error)
	// Key returns the journal's key, which is read once.
	Key func() ([]byte, error)
	// Configuration is the configuration without its secrets, as intents record it.
	Configuration json.RawMessage

	// ownKey is a key of this process, used if the journal's cannot be read.
	ownKey func() []byte
	name   string
	// settings is the hash of the configuration without its secrets.
	settings string
}

// NewProvider returns the journal of a provider with a configuration without its secrets, and
// with the hash of that. open opens the journal, once.
func NewProvider(open func() (*Journal, error), name string, configuration json.RawMessage, settings string) *Provider {
	return &Provider{
		Open: open, Configuration: configuration, name: name, settings: settings,
		Key: sync.OnceValues(func() ([]byte, error) {
			j, err := open()
			if err != nil {
				return nil, err
			}
			return j.Key()
		}),
		ownKey: sync.OnceValue(func() []byte {
			key := make([]byte, sha256.Size)
			_, _ = rand.Read(key) // never fails
			return key
		}),
	}
}

// Resource returns the part of the journal that is about a resource of a type. key identifies
// the resource among all resources of the host. former are the former names of the type: see
// Subject.Former.
func (p *Provider) Resource(typ, key string, former []string) *Resource {
	s := Subject{Provider: p.name, Type: typ, Resource: key, Settings: p.settings}
	subjects := lists.Map(former, s.Former)
	return newResource(p.Open, s, subjects...)
}

// Hash returns the hash of a text under the journal's key. If the key cannot be read, it uses a
// key of this process, and known is false.
func (p *Provider) Hash(text string) (sum string, known bool) {
	key, err := p.Key()
	if err != nil {
		key = p.ownKey()
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil)), err == nil
}

package functions

import (
	"math/big"
	"net/netip"

	"github.com/declprov/declprov/spec/expr/eval"
)

// networkFunctions operate on IPv4 and IPv6 networks.
func networkFunctions() []*Function {
	return []*Function{
		def(eval.OfText, "cidrhost(prefix: string, n: int) string", "The nth address of a network, counted from 0. A negative n counts from the end.", `cidrhost("10.0.0.0/24", 5)`, `"10.0.0.5"`, fnCIDRHost),
		def(eval.OfText, "cidrsubnet(prefix: string, bits: int, n: int) string", "The nth subnet, counted from 0, whose prefix is `bits` bits longer.", `cidrsubnet("10.0.0.0/16", 8, 2)`, `"10.0.2.0/24"`, fnCIDRSubnet),
		def(eval.OfText, "cidrnetmask(prefix: string) string", "The mask of an IPv4 network.", `cidrnetmask("10.0.0.0/12")`, `"255.240.0.0"`, fnCIDRNetmask),
	}
}

func parseNetwork(name, s string) (netip.Prefix, error) {
	p, err := netip.ParsePrefix(s)
	if err != nil {
		return netip.Prefix{}, eval.Faultf("%s: invalid network %s (use 10.0.0.0/16)", name, eval.Quote(s))
	}
	return p.Masked(), nil
}

// addOffset returns the address at a distance from another.
func addOffset(a netip.Addr, n *big.Int) (netip.Addr, bool) {
	sum := new(big.Int).Add(new(big.Int).SetBytes(a.AsSlice()), n)
	size := a.BitLen() / 8
	if sum.Sign() < 0 || sum.BitLen() > a.BitLen() {
		return netip.Addr{}, false
	}
	return netip.AddrFromSlice(sum.FillBytes(make([]byte, size)))
}

func fnCIDRHost(_ *eval.Run, a args) (any, error) {
	p, err := parseNetwork("cidrhost", a.text(0))
	if err != nil {
		return nil, err
	}
	n := a.whole(1, 0)
	at := big.NewInt(n)
	size := new(big.Int).Lsh(big.NewInt(1), uint(p.Addr().BitLen()-p.Bits()))
	if n < 0 {
		at.Add(at, size)
	}
	if at.Sign() < 0 || at.Cmp(size) >= 0 {
		return nil, eval.Faultf("cidrhost: %s has no address %s", eval.Quote(p.String()), eval.Quote(n))
	}
	addr, _ := addOffset(p.Addr(), at)
	return addr.String(), nil
}

func fnCIDRSubnet(_ *eval.Run, a args) (any, error) {
	p, err := parseNetwork("cidrsubnet", a.text(0))
	if err != nil {
		return nil, err
	}
	bits := a.whole(1, 0)
	n := a.whole(2, 0)
	width := p.Addr().BitLen()
	if bits < 0 || bits > int64(width-p.Bits()) {
		return nil, eval.Faultf("cidrsubnet: the prefix %s cannot be %s bits longer: only %s are left", eval.Quote(p.String()), eval.Quote(bits), eval.Quote(int64(width-p.Bits())))
	}
	if n < 0 || big.NewInt(n).BitLen() > int(bits) {
		return nil, eval.Faultf("cidrsubnet: %s bits cannot represent the number %s", eval.Quote(bits), eval.Quote(n))
	}
	length := p.Bits() + int(bits)
	addr, _ := addOffset(p.Addr(), new(big.Int).Lsh(big.NewInt(n), uint(width-length)))
	return netip.PrefixFrom(addr, length).String(), nil
}

func fnCIDRNetmask(_ *eval.Run, a args) (any, error) {
	p, err := parseNetwork("cidrnetmask", a.text(0))
	if err != nil {
		return nil, err
	}
	if !p.Addr().Is4() {
		return nil, eval.Faultf("cidrnetmask: %s is not an IPv4 network", eval.Quote(p.String()))
	}
	mask := netip.AddrFrom4([4]byte{255, 255, 255, 255})
	masked, err := mask.Prefix(p.Bits())
	if err != nil {
		return nil, eval.Faultf("cidrnetmask: %v", err)
	}
	return masked.Addr().String(), nil
}

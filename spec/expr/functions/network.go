package functions

import (
	"math/big"
	"net/netip"

	"github.com/declprov/declprov/spec/expr/eval"
)

// networkFunctions work on IP networks, of both versions.
func networkFunctions() []*Function {
	return []*Function{
		def(eval.OfText, "cidrhost(prefix: string, n: int) string", "The nth address of a network; from the end where n is negative.", `cidrhost("10.0.0.0/24", 5)`, `"10.0.0.5"`, fnCIDRHost),
		def(eval.OfText, "cidrsubnet(prefix: string, bits: int, n: int) string", "The nth of the networks that are so many bits longer.", `cidrsubnet("10.0.0.0/16", 8, 2)`, `"10.0.2.0/24"`, fnCIDRSubnet),
		def(eval.OfText, "cidrnetmask(prefix: string) string", "The mask of an IPv4 network.", `cidrnetmask("10.0.0.0/12")`, `"255.240.0.0"`, fnCIDRNetmask),
	}
}

func network(name, s string) (netip.Prefix, error) {
	p, err := netip.ParsePrefix(s)
	if err != nil {
		return netip.Prefix{}, eval.Faultf("%s: %s is no network: write it as 10.0.0.0/16", name, eval.Quote(s))
	}
	return p.Masked(), nil
}

// offset returns an address so far from another.
func offset(a netip.Addr, n *big.Int) (netip.Addr, bool) {
	sum := new(big.Int).Add(new(big.Int).SetBytes(a.AsSlice()), n)
	size := a.BitLen() / 8
	if sum.Sign() < 0 || sum.BitLen() > a.BitLen() {
		return netip.Addr{}, false
	}
	return netip.AddrFromSlice(sum.FillBytes(make([]byte, size)))
}

func fnCIDRHost(_ *eval.Run, a args) (any, error) {
	p, err := network("cidrhost", a.text(0))
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
	addr, _ := offset(p.Addr(), at)
	return addr.String(), nil
}

func fnCIDRSubnet(_ *eval.Run, a args) (any, error) {
	p, err := network("cidrsubnet", a.text(0))
	if err != nil {
		return nil, err
	}
	bits := a.whole(1, 0)
	n := a.whole(2, 0)
	width := p.Addr().BitLen()
	if bits < 0 || bits > int64(width-p.Bits()) {
		return nil, eval.Faultf("cidrsubnet: %s cannot be %s bits longer: there are %s left", eval.Quote(p.String()), eval.Quote(bits), eval.Quote(int64(width-p.Bits())))
	}
	if n < 0 || big.NewInt(n).BitLen() > int(bits) {
		return nil, eval.Faultf("cidrsubnet: %s bits do not hold the number %s", eval.Quote(bits), eval.Quote(n))
	}
	length := p.Bits() + int(bits)
	addr, _ := offset(p.Addr(), new(big.Int).Lsh(big.NewInt(n), uint(width-length)))
	return netip.PrefixFrom(addr, length).String(), nil
}

func fnCIDRNetmask(_ *eval.Run, a args) (any, error) {
	p, err := network("cidrnetmask", a.text(0))
	if err != nil {
		return nil, err
	}
	if !p.Addr().Is4() {
		return nil, eval.Faultf("cidrnetmask: %s is no IPv4 network", eval.Quote(p.String()))
	}
	mask := netip.AddrFrom4([4]byte{255, 255, 255, 255})
	masked, err := mask.Prefix(p.Bits())
	if err != nil {
		return nil, eval.Faultf("cidrnetmask: %v", err)
	}
	return masked.Addr().String(), nil
}

extension [UInt8] {
    /// FNV-1a, a hash that is equal in each run.
    var fingerprint: String {
        String(reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }, radix: 16)
    }
}

/// How the server last wrote an attribute's value, so that requests use the same form. All 32 bits are zero for the
/// default form.
package struct WireShape: Sendable, Hashable {
    package private(set) var bits: UInt32

    package init(bits: UInt32) { self.bits = bits }

    /// A string for text and dates (RFC 3339 in UTC), a number for numbers, `true` and `false`, padded base64.
    package static let standard = WireShape(bits: 0)

    package enum Form: UInt32 {
        case standard
        /// A number, or `true`, in a string.
        case string
        /// A number for a text; `true` is 1.
        case number
        /// `true` or `false` for a text.
        case literal
        /// `true` is `"1"`.
        case numberString
        /// A date without a time.
        case day
        /// A UUID in lower case.
        case lowercase
    }

    package enum Unit: UInt32 {
        case seconds, milliseconds, microseconds

        package var perSecond: Double {
            switch self {
            case .seconds: 1
            case .milliseconds: 1e3
            case .microseconds: 1e6
            }
        }
    }

    package enum Separator: UInt32 {
        case upperT, space, lowerT
    }

    package enum Zone: UInt32 {
        /// `Z`, `z`, nothing, `+02:00`, `+0200`, `+02`.
        case upperZ, lowerZ, none, colon, plain, hours
    }

    package init(_ form: Form) { bits = form.rawValue }

    /// For a number since 1970.
    package init(_ form: Form, _ unit: Unit) { bits = form.rawValue | unit.rawValue << 4 }

    package var form: Form { Form(rawValue: bits & 0x7) ?? .standard }
    package var unit: Unit { Unit(rawValue: field(at: 4, width: 2)) ?? .seconds }

    /// For a value that was just read: whether its text is irreproducible (`_wire_text`).
    var needsText: Bool {
        get { field(at: 3, width: 1) == 1 }
        set { set(newValue ? 1 : 0, at: 3, width: 1) }
    }

    /// The shape for other values of the attribute.
    var learned: WireShape {
        var shape = self
        shape.needsText = false
        return shape
    }

    // The variant of ISO 8601 of a date.
    /// 15 stands for more. In a date that is a number, 1 stands for any fraction.
    package var fractionDigits: Int {
        get { Int(field(at: 6, width: 4)) }
        set { set(UInt32(min(max(newValue, 0), 15)), at: 6, width: 4) }
    }
    package var separator: Separator {
        get { Separator(rawValue: field(at: 10, width: 2)) ?? .upperT }
        set { set(newValue.rawValue, at: 10, width: 2) }
    }
    package var zone: Zone {
        get { Zone(rawValue: field(at: 12, width: 3)) ?? .upperZ }
        set { set(newValue.rawValue, at: 12, width: 3) }
    }
    /// Minutes east of UTC, less than a day.
    package var offset: Int {
        get { Int(field(at: 15, width: 12)) - (field(at: 26, width: 1) == 1 ? 1 << 12 : 0) }
        set { set(UInt32(truncatingIfNeeded: newValue), at: 15, width: 12) }
    }
    package var hasNoSeconds: Bool {
        get { field(at: 27, width: 1) == 1 }
        set { set(newValue ? 1 : 0, at: 27, width: 1) }
    }
    package var hasComma: Bool {
        get { field(at: 28, width: 1) == 1 }
        set { set(newValue ? 1 : 0, at: 28, width: 1) }
    }

    /// Whether a date had a time, so that the attribute has more than days.
    ///
    /// Shares its bit with ``isURLSafe``, which only base64 has.
    var hasTime: Bool {
        get { field(at: 29, width: 1) == 1 }
        set { set(newValue ? 1 : 0, at: 29, width: 1) }
    }

    // The variant of RFC 4648 of base64.
    /// Whether `-` and `_` replace `+` and `/`.
    package var isURLSafe: Bool {
        get { field(at: 29, width: 1) == 1 }
        set { set(newValue ? 1 : 0, at: 29, width: 1) }
    }
    package var isUnpadded: Bool {
        get { field(at: 30, width: 1) == 1 }
        set { set(newValue ? 1 : 0, at: 30, width: 1) }
    }

    /// Whether the server wrote `""` for a missing value, so that requests write nil alike.
    package var isNothingEmptyText: Bool {
        get { isSeen }
        set { isSeen = newValue }
    }

    /// For a relationship: whether the server has sent identities. Otherwise requests write them as the target's
    /// identity.
    package var isSeen: Bool {
        get { field(at: 31, width: 1) == 1 }
        set { set(newValue ? 1 : 0, at: 31, width: 1) }
    }

    private func field(at bit: UInt32, width: UInt32) -> UInt32 { bits >> bit & (1 << width - 1) }

    private mutating func set(_ value: UInt32, at bit: UInt32, width: UInt32) {
        let mask: UInt32 = (1 << width - 1) << bit
        bits = bits & ~mask | value << bit & mask
    }
}

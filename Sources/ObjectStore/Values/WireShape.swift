/// How the server last wrote an attribute's value in JSON, so that it goes out the same way: as a string or a number,
/// and for a date what of ISO 8601 it used. Thirty-two bits, all zero for what is written where nothing is known.
package struct WireShape: Sendable, Hashable {
    package private(set) var bits: UInt32

    package init(bits: UInt32) { self.bits = bits }

    /// A string for text and dates (RFC 3339 in UTC), a number for numbers, `true` and `false`, padded base64.
    package static let standard = WireShape(bits: 0)

    package enum Form: UInt32 {
        case standard
        /// The number, or `true`, in a string.
        case string
        /// The text is a number; `true` is 1.
        case number
        /// The text is `true` or `false`.
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

        /// How many there are in a second.
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

    /// Seconds, milliseconds or microseconds since 1970.
    package init(_ form: Form, _ unit: Unit) { bits = form.rawValue | unit.rawValue << 4 }

    package var form: Form { Form(rawValue: bits & 0x7) ?? .standard }
    package var unit: Unit { Unit(rawValue: field(at: 4, width: 2)) ?? .seconds }

    /// Of a value that was just read: whether it can't be written again as it came, so that its text is kept beside it
    /// (`_wire_text`). No attribute's shape has it.
    var needsText: Bool {
        get { field(at: 3, width: 1) == 1 }
        set { set(newValue ? 1 : 0, at: 3, width: 1) }
    }

    /// The same shape for the attribute's other values.
    var learned: WireShape {
        var shape = self
        shape.needsText = false
        return shape
    }

    // What of ISO 8601 a date used.
    /// How many digits the fraction had, 15 for more; of a date that is a number, 1 for any.
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

    /// Of a date: whether it came with a time, so that a day alone is not the form of all of them.
    var hasTime: Bool {
        get { field(at: 29, width: 1) == 1 }
        set { set(newValue ? 1 : 0, at: 29, width: 1) }
    }

    // What of RFC 4648 base64 used.
    /// `-` and `_` in place of `+` and `/`.
    package var isURLSafe: Bool {
        get { field(at: 29, width: 1) == 1 }
        set { set(newValue ? 1 : 0, at: 29, width: 1) }
    }
    package var isUnpadded: Bool {
        get { field(at: 30, width: 1) == 1 }
        set { set(newValue ? 1 : 0, at: 30, width: 1) }
    }

    /// Of an attribute: whether `""` came where there was nothing, so that nil goes out as that.
    package var isNothingEmptyText: Bool {
        get { isSeen }
        set { isSeen = newValue }
    }

    /// Of a relationship: whether anything came; identities go out as the target's own does where none came.
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

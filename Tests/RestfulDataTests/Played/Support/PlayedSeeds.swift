import Foundation
import Testing

/// The seeds that are played.
enum PlayedSeeds {
    /// `PLAYED_SEEDS` seeds from `PLAYED_FIRST` (0) on; nil if the variable is unset.
    static let asked: [UInt64]? = {
        let environment = ProcessInfo.processInfo.environment
        guard let count = environment["PLAYED_SEEDS"].flatMap({ UInt64($0) }) else { return nil }
        let first = environment["PLAYED_FIRST"].flatMap { UInt64($0) } ?? 0
        return Array(first..<(first + count))
    }()

    /// Whether failures show the file's rows after each step, as set by `PLAYED_FILES`.
    static let showsFiles = ProcessInfo.processInfo.environment["PLAYED_FILES"] != nil

    /// The first eight of an app that show no fault.
    static func kept(_ app: PlayedApp) -> [UInt64] {
        let open = Set(open.filter { $0.app == app }.map(\.seed))
        return Array((UInt64(0)...).lazy.filter { !open.contains($0) }.prefix(8)) + (mended[app] ?? [])
    }

    /// A seed that shows an open fault of the library.
    struct Open: Codable, Sendable, CustomTestStringConvertible {
        let app: PlayedApp
        let seed: UInt64
        let fault: String

        var testDescription: String { "\(app.rawValue), seed \(seed): \(fault)" }
    }

    static let open: [Open] = [
        Open(app: .tree, seed: 70108, fault: "a new file whose folder others delete can't be sent after a lost reply"),
        Open(
            app: .ownTodoList, seed: 102111,
            fault: "an answer from before others deleted an object gives values to the one that was created again"),
    ]

    /// Seeds that once showed a fault.
    private static let mended: [PlayedApp: [UInt64]] = [
        .cart: [
            39, 20065, 30111, 40127, 50139, 51014, 51020, 51281, 51387, 51393, 60161, 60539, 60763, 60910, 61319,
            103030, 150497, 152022,
        ],
        .undo: [40031, 150170, 151046],
        .addressBook: [20144, 150463],
        .tags: [100103, 153027, 153176],
        .board: [100103, 103122, 104148, 110139],
        .timeline: [103068],
        .ownTodoList: [150578],
    ]
}

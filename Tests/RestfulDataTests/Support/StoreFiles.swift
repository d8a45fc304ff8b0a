import Foundation
import RestfulData

/// The bytes of a store's file and its log: the same before and after, nothing at all was written.
struct StoreFiles: Equatable {
    private let bytes: [Data?]

    init(_ store: Store) {
        bytes = ["", "-wal"].map { FileManager.default.contents(atPath: store.path + $0) }
    }
}

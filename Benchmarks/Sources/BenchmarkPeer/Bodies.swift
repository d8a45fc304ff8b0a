import Foundation

/// The folder with the generated bodies.
struct Bodies {
    let folder: String

    func load(_ name: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: folder).appendingPathComponent(name))
    }

    /// The issues' ids, shuffled.
    func ids() throws -> [Int] {
        String(decoding: try load("ids.txt"), as: UTF8.self).split(separator: "\n").compactMap { Int($0) }
    }
}

import Conventions
import Foundation
import TestSupport
import Testing

/// The property names of whole APIs, each from JSON to Swift and back.
@Suite(.enabled(if: Bodies.corpus != nil, "RESTFULDATA_CORPUS has the names"))
struct CorpusNameTests {
    /// The result of a name on the way to Swift and back.
    private enum Fate {
        /// It is written again as it was.
        case exact
        /// It comes back in another spelling, by which it is recognized, so it is sent as it came.
        case learned
        /// It needs a declaration of its own, as in `@Attribute("+1")`.
        case lost
    }

    private static let files = Bodies.files(in: ["names"], withExtension: "txt")

    private func fate(of name: String, by mapping: AttributeMapping) -> Fate {
        let swift = mapping.swiftName(forJSONName: name).name
        guard let first = swift.first, first.isLetter || first == "_",
            swift.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" })
        else { return .lost }
        let back = mapping.jsonName(forSwiftName: swift).name
        if back == name { return .exact }
        guard let names = try? AttributeNames(of: "Model", [DeclaredName(swift)], mapping: mapping),
            names.inbound.match(name)?.property == 0
        else { return .lost }
        return .learned
    }

    @Test func `At least 995 of 1000 names of each API survive the way to Swift and back`() throws {
        #expect(!Self.files.isEmpty)
        let mapping = AttributeMapping()
        for file in Self.files {
            let names = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
            let fates = names.map { (name: $0, fate: fate(of: $0, by: mapping)) }
            let lost = fates.filter { $0.fate == .lost }.map(\.name)
            let learned = fates.count { $0.fate == .learned }
            print(
                "\(file.lastPathComponent): \(names.count) names, \(learned) sent as they came, "
                    + "\(lost.count) to declare: \(lost)")
            #expect(Double(lost.count) <= 0.005 * Double(names.count), "\(file.lastPathComponent): \(lost)")
        }
    }
}

import Foundation
import RestfulData

/// `SoakBench [WORD…]`: repeats an app's work some thousand times, prints the time and memory of each repetition, and
/// exits with 1 if they grow. With words, it runs only the work whose name has one of them.
@main
@MainActor
enum Program {
    static func main() async {
        let words = CommandLine.arguments.dropFirst()
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("soak-\(UUID().uuidString)")
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let app = try await SoakApp(at: folder.appendingPathComponent("store.sqlite").path)
            print(SoakResult.head)
            var isGood = true
            for work in SoakWork.all
            where words.isEmpty || words.contains(where: { work.name.localizedCaseInsensitiveContains($0) }) {
                let result = try await measure(work, app)
                isGood = isGood && result.isGood
                print(result.row)
            }
            app.store.close()
            try FileManager.default.removeItem(at: folder)
            exit(isGood ? EXIT_SUCCESS : EXIT_FAILURE)
        } catch {
            FileHandle.standardError.write(Data("SoakBench: \(error)\n".utf8))
            exit(EXIT_FAILURE)
        }
    }

    private static func measure(_ work: SoakWork, _ app: SoakApp) async throws -> SoakResult {
        var usages = [Usage.now]
        for part in 0..<SoakResult.parts {
            for turn in 0..<work.count {
                try await work.run(app, part * work.count + turn)
                // As in an app, whose main actor has other work: pending notifications are delivered.
                await Task.yield()
            }
            usages.append(Usage.now)
        }
        return SoakResult(work: work, usages: usages)
    }
}

import Dispatch
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

@testable import ObjectStore

/// Callers that share one request, on one thread in a process of their own.
@Suite struct SharedRequestTests {
    @Test func `Callers of a shared request resume in the order of their calls`() async {
        await #expect(processExitsWith: .success) {
            await OneThread.exit {
                var order: [Int] = []
                let hasEnded = OneThread.run {
                    let held = HeldTransport()
                    guard let store = try? Store.held(by: held), let queue = DispatchQueue.writing(store.file) else {
                        return
                    }
                    Schedule.shared.add(queue)
                    let tasks = (0..<20).map { index in
                        Task {
                            _ = try? await Post.fetchAll(in: store.main)
                            order.append(index)
                        }
                    }
                    await OneThread.idle()
                    held.answer(0, .json("[]"))
                    for task in tasks { await task.value }
                    Schedule.shared.remove(queue)
                }
                return hasEnded && order == Array(0..<20)
            }
        }
    }
}

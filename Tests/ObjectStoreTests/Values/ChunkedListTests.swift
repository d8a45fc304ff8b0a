import TestSupport
import Testing

@testable import ObjectStore

@Suite struct ChunkedListTests {
    @Test(arguments: 1...3)
    func `A chunked list equals an array`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var (list, array): (ChunkedList<[Int]>, [[Int]]) = (ChunkedList(), [])
        #expect(list.last == nil && list.isEmpty)
        for step in 0..<2_000 {
            list.append([step])
            array.append([step])
            let index = Int.random(in: 0...step, using: &random)
            if Bool.random(using: &random) {
                list[index] = [-step]
                array[index] = [-step]
            } else {
                list[index].append(step)
                array[index].append(step)
            }
            #expect(list.count == array.count && list.last == array.last && list[index] == array[index])
        }
        #expect(Array(list) == array)
        #expect(Array(ChunkedList(array.lazy.filter { $0.count == 1 })) == array.filter { $0.count == 1 })
        let copy = list
        list[700] = []
        #expect(copy[700] == array[700])
    }
}

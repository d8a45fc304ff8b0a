/// A generator of random numbers that gives the same ones every time and everywhere: SplitMix64
/// (https://prng.di.unimi.it/splitmix64.c).
struct Chance {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    private mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    /// From 0 to `limit` - 1; `limit` is at least 1.
    mutating func number(below limit: Int) -> Int { Int(next() % UInt64(limit)) }

    mutating func number(in range: ClosedRange<Int>) -> Int { range.lowerBound + number(below: range.count) }

    /// True in so many of a hundred cases.
    mutating func happens(percent: Int) -> Bool { number(below: 100) < percent }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(below: elements.count)] }

    /// So many different elements.
    mutating func pick<Element>(_ count: Int, of elements: [Element]) -> [Element] {
        var places: [Int] = []
        while places.count < min(count, elements.count) {
            let place = number(below: elements.count)
            if !places.contains(place) { places.append(place) }
        }
        return places.map { elements[$0] }
    }

    mutating func shuffle<Element>(_ elements: [Element]) -> [Element] {
        var shuffled = elements
        for place in shuffled.indices.dropFirst().reversed() { shuffled.swapAt(place, number(below: place + 1)) }
        return shuffled
    }
}

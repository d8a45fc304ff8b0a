/// The self-signed certificate of the tests' own servers on loopback.
///
/// Made once, with a worthless key: `localhost` and `127.0.0.1`, valid from 2020 to 2120.
enum LoopbackCertificate {
    static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBfzCCASWgAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhv
        c3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
        CWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABIorW3JzvWAXy+0a
        1AMmhM4DOd0L/MRrSo9vdVvumghBTDJdSUWdChqGXhNkPgeZ0BH/clpjq0DvO3bF
        cYeu5syjZjBkMBIGA1UdEwEB/wQIMAYBAf8CAQAwGgYDVR0RBBMwEYIJbG9jYWxo
        b3N0hwR/AAABMBMGA1UdJQQMMAoGCCsGAQUFBwMBMB0GA1UdDgQWBBS5xxGnQcX0
        H9eMSdk6XlHSsMQO5DAKBggqhkjOPQQDAgNIADBFAiEAgaQkmjGH09HGFWjhFVZR
        Visap0wYZeKV3yQoVs1KLrcCIEL/SsWWnxVC71HvRSilSLCrEx4IBq21Idf6j+as
        wyFn
        -----END CERTIFICATE-----
        """

    static let privateKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgsC2i7R9AGoVctOvH
        nGQ9xEp0nabMBhC5WORO9iAWqymhRANCAASKK1tyc71gF8vtGtQDJoTOAzndC/zE
        a0qPb3Vb7poIQUwyXUlFnQoahl4TZD4HmdAR/3JaY6tA7zt2xXGHrubM
        -----END PRIVATE KEY-----
        """
}

package dev.sharding.internal.sharder.diagnosis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.core.assignment.ResourceRole;
import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.core.lease.LeaseRecord;
import dev.sharding.internal.core.slot.SlotLease;
import dev.sharding.internal.sharder.diagnosis.LeaseLaw.Pod;
import dev.sharding.internal.sharder.diagnosis.LeaseLaw.Shard;
import dev.sharding.internal.sharder.diagnosis.ObjectLaw.Kind;
import dev.sharding.internal.sharder.diagnosis.ObjectLaw.Trouble;
import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.internal.sharder.ring.ControllerRingStatus;
import dev.sharding.internal.sharder.tls.CertificateTerms;
import dev.sharding.internal.sharder.tls.ServingCertificate;
import dev.sharding.internal.sharder.tls.TestCertificates;
import dev.sharding.protocol.ShardingLabels;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class DiagnosisTests {

	private static final Instant NOW = Instant.parse("2026-11-24T12:00:00Z");

	private static final String RING = "my-ring";

	/* The ring a, b gives this key to b. */
	private static final ShardingKey KEY = new ShardingKey("", "Secret", "default", "foo");

	private static final HashRing AB = HashRing.of(List.of("a", "b"));

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			MAIN       | b    |      | false |   |
			MAIN       |      |      | false |   | NO_OWNER
			MAIN       | dead |      | false |   | OWNER_GONE
			MAIN       | a    |      | false |   | WRONG_OWNER
			MAIN       | a    |      | true  |   |
			MAIN       |      |      | true  |   | NO_OWNER
			MAIN       | a    | true | false |   | DRAINING
			MAIN       | a    | true | true  |   | DRAINING
			MAIN       | b    | true | false |   | DRAINING
			CONTROLLED | a    |      | false |   | WRONG_OWNER
			CONTROLLED | a    |      | false | a |
			CONTROLLED |      |      | false | a | NO_OWNER
			CONTROLLED | a    |      | true  | a |
			CONTROLLED | a    |      | true  |   | WRONG_OWNER
			""")
	void tellsWhatIsWrongWithAnObject(ResourceRole role, String shard, String drain, boolean paused, String ownerOfMain,
			Kind expected) {
		Trouble trouble = ObjectLaw.of(object(role, shard, drain), RING, AB, paused, Set.of(), ownerOfMain);
		assertThat((trouble != null) ? trouble.kind() : null).isEqualTo(expected);
	}

	@Test
	void believesShardsThatRenew() {
		assertThat(leases(shard("a", 5, "image:1"), shard("b", 1, "image:1"))).isEmpty();
	}

	@Test
	void findsLeasesThatShouldNotBeBelieved() {
		assertThat(leases(shard("a", 5, null), shard("b", -3600, null)))
			.containsExactly("PROBLEM Lease default/b should not be believed: it says that it was renewed at "
					+ NOW.plusSeconds(3600) + ", which is in the future");
		TreeMap<String, String> invalid = new TreeMap<>(Map.of("Lease default/b", "too long"));
		assertThat(LeaseLaw.of(List.of(shard("a", 5, null), shard("b", 5, null)), invalid, NOW))
			.extracting(Finding::message)
			.containsExactly("should not be believed: too long");
	}

	@Test
	void findsShardsThatDiffer() {
		assertThat(leases(shard("a", 5, "image:1"), shard("b", 5, "image:2")))
			.containsExactly("WARNING ring available shards run different images: image:1 (a); image:2 (b)");
		assertThat(leases(shard("a", 5, "image:1"), shard("b", 5, null)))
			.containsExactly("WARNING Lease default/b is renewed, but there is no pod 'b' beside it, as others"
					+ " of the ring have");
		assertThat(leases(shard("a", 5, null), shard("a", 20, null)))
			.containsExactly("PROBLEM Lease default/a was not renewed since " + NOW.minusSeconds(20)
					+ ", and still counts as available");
		assertThat(leases()).containsExactly("PROBLEM ring no shard is available, so nothing gets an owner");
	}

	@Test
	void findsCertificatesThatAreNotTrusted() {
		ServingCertificate good = certificate(NOW.minus(Duration.ofHours(1)));
		ServingCertificate old = certificate(NOW.minus(Duration.ofDays(10_000)));
		assertThat(certificates(good, good)).isEmpty();
		assertThat(certificates(good, certificate(NOW)))
			.containsExactly("Secret ns/secret its certificate was not issued by an authority of the caBundle");
		assertThat(certificates(old, old)).hasSize(2).allMatch((text) -> text.contains("expired at"));
		assertThat(CertificateLaw.of("ring", null, "ns/secret", base64(good.certificate()), NOW))
			.extracting(Finding::message)
			.allMatch((text) -> text.startsWith("its caBundle holds no certificate"))
			.hasSize(1);
		assertThat(CertificateLaw.of("ring", "nonsense", "ns/secret", "nonsense", NOW)).hasSize(2);
	}

	@Test
	void scalesAsAStatefulSetDoes() {
		TreeSet<String> ordered = new TreeSet<>(Set.of("web-0", "web-1", "web-10"));
		assertThat(WhatIf.scaled(ordered, 2)).containsExactly("web-0", "web-1");
		assertThat(WhatIf.scaled(ordered, 4)).containsExactly("web-0", "web-1", "web-10", "web-11");
		assertThat(WhatIf.scaled(new TreeSet<>(Set.of("x", "a")), 1)).containsExactly("a");
		assertThat(WhatIf.scaled(new TreeSet<>(Set.of("x")), 3)).containsExactly("what-if-1", "what-if-2", "x");
		assertThat(WhatIf.scaled(new TreeSet<>(), 1)).containsExactly("what-if-1");
	}

	@Test
	void countsWhatWouldMove() {
		WhatIf whatIf = new WhatIf(RING, AB, HashRing.of(List.of("a")));
		whatIf.count(object(ResourceRole.MAIN, "b", null));
		whatIf.count(object(ResourceRole.MAIN, null, null));
		whatIf.count(object(ResourceRole.MAIN, "a", null));
		assertThat(whatIf.rows()).containsExactly(new WhatIf.Row("a", "secrets", 1, 3, 0, 2),
				new WhatIf.Row("b", "secrets", 2, 0, 2, 0));
		assertThat(WhatIf.moving(whatIf.rows())).isEqualTo(2);
	}

	private static ObservedObject object(ResourceRole role, String shard, String drain) {
		Map<String, String> labels = new TreeMap<>();
		if (shard != null) {
			labels.put(ShardingLabels.shard(RING), shard);
		}
		if (drain != null) {
			labels.put(ShardingLabels.drain(RING), drain);
		}
		return new ObservedObject("secrets", role, "default", "foo", KEY, labels, null, null, null);
	}

	@Test
	void namesHoldersThatBelieveInDifferentNumbersOfSlots() {
		assertThat(leases(shard("s-000", 1, null, Map.of(ShardingLabels.SLOTS, "3")),
				shard("s-001", 1, null, Map.of(ShardingLabels.SLOTS, "3"))))
			.isEmpty();
		assertThat(leases(shard("s-000", 1, null, Map.of(ShardingLabels.SLOTS, "3")),
				shard("s-001", 1, null, Map.of(ShardingLabels.SLOTS, "6"))))
			.singleElement()
			.asString()
			.startsWith("WARNING ring")
			.contains("3 (s-000); 6 (s-001)");
	}

	@Test
	void saysThatTheSharderDoesNotKnowOfSlots() {
		ControllerRing ring = new ControllerRing();
		ring.setStatus(new ControllerRingStatus(1L, 1, 1, List.of()));
		assertThat(RingLaw.ofSlots(ring, List.of(shard("s-000", 1, null)))).isEmpty();
		List<Shard> slots = List.of(shard("s-000", 1, null, Map.of(ShardingLabels.SLOTS, "3")));
		assertThat(RingLaw.ofSlots(ring, slots)).singleElement()
			.satisfies((finding) -> assertThat(finding.message()).contains("does not know of slots"));
		ring.setStatus(new ControllerRingStatus(1L, 1, 1,
				List.of(new ConditionBuilder().withType(ShardingLabels.CONDITION_SLOTS_HONOURED).build())));
		assertThat(RingLaw.ofSlots(ring, slots)).isEmpty();
	}

	private static List<String> leases(Shard... shards) {
		return LeaseLaw.of(List.of(shards), new TreeMap<>(), NOW)
			.stream()
			.map((finding) -> finding.severity() + " " + finding.subject() + " " + finding.message())
			.toList();
	}

	private static Shard shard(String name, int secondsAgo, String image) {
		return shard(name, secondsAgo, image, Map.of());
	}

	private static Shard shard(String name, int secondsAgo, String image, Map<String, String> notes) {
		Instant renewed = NOW.minusSeconds(secondsAgo);
		LeaseRecord lease = new LeaseRecord(name, name, renewed, renewed, 15, 0, "id");
		return new Shard("default", new SlotLease(lease, RING, "uid", notes), false, name,
				(image != null) ? new Pod(image, "controller") : null);
	}

	private static ServingCertificate certificate(Instant issued) {
		return TestCertificates.create(Set.of("127.0.0.1"), CertificateTerms.DEFAULT, issued);
	}

	private static List<String> certificates(ServingCertificate trusted, ServingCertificate served) {
		return CertificateLaw
			.of("ring", base64(String.valueOf(trusted.authorities())), "ns/secret", base64(served.certificate()), NOW)
			.stream()
			.map((finding) -> finding.subject() + " " + finding.message())
			.toList();
	}

	private static String base64(String text) {
		return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
	}

}

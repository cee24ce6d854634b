package dev.sharding.judge;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LeftOversTests {

	@Test
	void findsNothingWhereEachObjectHasWhatControlsIt() {
		assertThat(LeftOvers.of(List.of(object("secrets", "u", null, false)),
				List.of(object("configmaps", "c", "u", false), object("configmaps", "d", null, false))))
			.isEmpty();
	}

	@Test
	void findsWhatOutlivedItsMainObject() {
		assertThat(LeftOvers.of(List.of(object("secrets", "u", null, false)),
				List.of(object("configmaps", "c", "older", false))))
			.singleElement()
			.asString()
			.contains("what controlled it is gone");
	}

	@Test
	void findsWhatWaitsForItsFinalizers() {
		assertThat(LeftOvers.of(List.of(object("secrets", "u", null, true)), List.of())).hasSize(1);
	}

	private static LiveObject object(String resource, String uid, @Nullable String controller, boolean deleting) {
		return new LiveObject(new ObjectRef("", resource, "default", uid), uid, "7", controller, deleting, Map.of(),
				Map.of());
	}

}

package dev.sharding.internal.sharder.assignment;

import java.time.Duration;

import dev.sharding.internal.core.key.ShardingKey;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

class DrainWindowTests {

	private static final long START = Duration.ofHours(-1).toNanos();

	private static final String OWNER = "shard-a";

	private final DrainWindow window = new DrainWindow();

	private int next;

	private long now = START;

	@Test
	void closesWhenManyAreOnTheWay() {
		assertThat(fill()).isEqualTo(16);
	}

	@Test
	void countsObjectsUntilTheyHaveAnOwner() {
		fill();
		this.window.letGo(key(0), this.now);
		assertThat(isOpen()).isFalse();
		this.window.owned(key(0), this.now);
		assertThat(isOpen()).isTrue();
	}

	@Test
	void isOpenForOthersAsSoonAsAnOwnerIsSilent() {
		fill();
		assertThat(fill("other")).isZero();
		this.now += Duration.ofSeconds(3).toNanos();
		assertThat(fill("other")).isEqualTo(16);
	}

	@Test
	void asksASilentOwnerForLittleThatTakesNoRoomFromOthers() {
		fill();
		for (int i = 0; i < 100; i++) {
			this.now += Duration.ofSeconds(3).toNanos();
			assertThat(fill()).isEqualTo(8);
			handOver(4, Duration.ofMillis(50), "other");
		}
		assertThat(fill("other")).isEqualTo(16 + 400);
	}

	@Test
	void takesAnOwnerForSilentUntilItAcknowledgesSomething() {
		fill();
		this.now += Duration.ofSeconds(3).toNanos();
		assertThat(fill()).isEqualTo(8);
		this.window.acknowledged(OWNER);
		assertThat(fill()).isEqualTo(8);
		assertThat(fill("other")).isZero();
	}

	@Test
	void givesASilentOwnerANewChanceWhenMembershipChanges() {
		fill();
		this.now += Duration.ofSeconds(3).toNanos();
		assertThat(isOpen()).isTrue();
		this.window.begin();
		assertThat(fill()).isEqualTo(16);
	}

	@Test
	void countsNoObjectThatWaitsForeverForItsNewOwner() {
		fill();
		for (int i = 0; i < 16; i++) {
			this.window.letGo(key(i), this.now);
		}
		this.now += Duration.ofSeconds(9).toNanos();
		assertThat(isOpen()).isFalse();
		assertThat(this.window.stuck(this.now)).isZero();
		this.now += Duration.ofSeconds(2).toNanos();
		assertThat(this.window.stuck(this.now)).isEqualTo(16);
		assertThat(fill()).isEqualTo(16);
		// Tried once more, it is as stuck as before.
		this.window.letGo(key(0), this.now);
		assertThat(this.window.stuck(this.now)).isEqualTo(16);
		this.window.owned(key(0), this.now);
		this.window.forget(key(1));
		assertThat(this.window.stuck(this.now)).isEqualTo(14);
		assertThat(isOpen()).isFalse();
	}

	@Test
	void growsWhileObjectsGetTheirOwnerSoon() {
		handOver(64, Duration.ofMillis(50));
		assertThat(fill()).isEqualTo(80);
	}

	@Test
	void shrinksWhileTheyWaitLong() {
		handOver(10, Duration.ofSeconds(1));
		assertThat(fill()).isEqualTo(8);
		this.window.forget(key(this.next - 1));
		handOver(100, Duration.ofSeconds(1));
		assertThat(isOpen(this.now + Duration.ofSeconds(5).toNanos())).isTrue();
	}

	@Test
	void halvesOnceForAllThatWaitAtATime() {
		for (int i = 0; i < 10; i++) {
			this.window.sent(key(i), OWNER, this.now);
			this.window.letGo(key(i), this.now);
		}
		this.now += Duration.ofSeconds(1).toNanos();
		for (int i = 0; i < 10; i++) {
			this.window.owned(key(i), this.now);
		}
		assertThat(fill()).isEqualTo(8);
	}

	@Test
	void staysClosedWhileAnObjectWaitsLateUnlessItIsStuck() {
		this.window.sent(key(0), OWNER, this.now);
		this.window.letGo(key(0), this.now);
		assertThat(isOpen(this.now + Duration.ofMillis(400).toNanos())).isTrue();
		assertThat(isOpen(this.now + Duration.ofMillis(600).toNanos())).isFalse();
		assertThat(isOpen(this.now + Duration.ofSeconds(11).toNanos())).isTrue();
		this.window.owned(key(0), this.now + Duration.ofMillis(700).toNanos());
		assertThat(isOpen(this.now + Duration.ofMillis(800).toNanos())).isTrue();
	}

	@Test
	void isNotChangedByObjectsThatNobodyLetGoOf() {
		fill();
		this.window.owned(new ShardingKey("", "Secret", "default", "other"), this.now);
		assertThat(isOpen()).isFalse();
	}

	@Test
	@DisplayName("A hundred thousand owners are silent, and as many others are asked: none of these looks at all of those")
	void asManyOwnersMayBeSilentAsLike() {
		for (int i = 0; i < 100_000; i++) {
			this.window.sent(key(this.next++), "silent-" + i, this.now);
		}
		this.now += Duration.ofSeconds(3).toNanos();
		assertTimeoutPreemptively(Duration.ofSeconds(30), () -> {
			for (int i = 0; i < 100_000; i++) {
				assertThat(this.window.isOpen("other-" + i, this.now)).isTrue();
			}
		});
		assertThat(this.window.isStuck("silent-0", this.now + DrainWindow.STUCK.toNanos() + 1)).isTrue();
	}

	private boolean isOpen() {
		return isOpen(this.now);
	}

	private boolean isOpen(long at) {
		return this.window.isOpen(OWNER, at);
	}

	private int fill() {
		return fill(OWNER);
	}

	private int fill(String owner) {
		int sent = 0;
		while (this.window.isOpen(owner, this.now)) {
			this.window.sent(key(this.next++), owner, this.now);
			sent++;
		}
		return sent;
	}

	private void handOver(int count, Duration gap) {
		handOver(count, gap, OWNER);
	}

	private void handOver(int count, Duration gap, String owner) {
		for (int i = 0; i < count; i++) {
			ShardingKey key = key(this.next++);
			this.window.sent(key, owner, this.now);
			this.window.letGo(key, this.now);
			this.now += gap.toNanos();
			this.window.owned(key, this.now);
		}
	}

	private static ShardingKey key(int number) {
		return new ShardingKey("", "Secret", "default", "s-" + number);
	}

}

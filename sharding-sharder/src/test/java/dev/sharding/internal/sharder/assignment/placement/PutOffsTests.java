package dev.sharding.internal.sharder.assignment.placement;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import dev.sharding.internal.core.assignment.ResourceRole;
import dev.sharding.internal.sharder.assignment.metadata.ShardedObject.ObjectId;
import dev.sharding.internal.sharder.assignment.metadata.ShardedResource;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import io.fabric8.kubernetes.api.model.Secret;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PutOffsTests {

	private static final ShardedResource SECRETS = new ShardedResource(ResourceType.of(Secret.class).metadata(),
			ResourceRole.MAIN);

	private static final Duration WAIT = Duration.ofMinutes(1);

	private final AtomicLong now = new AtomicLong();

	private final PutOffs putOffs = new PutOffs(this.now::get);

	@Test
	void keepsInMindHowLongAnObjectHasToWait() {
		this.putOffs.add(id(0), WAIT);
		this.now.addAndGet(Duration.ofSeconds(10).toNanos());
		assertThat(this.putOffs.left(id(0))).isEqualTo(Duration.ofSeconds(50));
		assertThat(this.putOffs.left(id(1))).isZero();
	}

	@Test
	void keepsNoMoreInMindThanABound() {
		for (int i = 0; i < PutOffs.MOST; i++) {
			assertThat(this.putOffs.add(id(i), WAIT)).isTrue();
		}
		assertThat(this.putOffs.add(id(PutOffs.MOST), WAIT)).isFalse();
		assertThat(this.putOffs.left(id(PutOffs.MOST))).isZero();
		// One that is known already may be told a longer time.
		assertThat(this.putOffs.add(id(0), WAIT.multipliedBy(2))).isTrue();
		assertThat(this.putOffs.left(id(0))).isEqualTo(WAIT.multipliedBy(2));
	}

	@Test
	void hasRoomAgainWhenOthersNeedNotWaitAnyMore() {
		for (int i = 0; i < PutOffs.MOST; i++) {
			this.putOffs.add(id(i), WAIT);
		}
		this.now.addAndGet(WAIT.toNanos());
		assertThat(this.putOffs.add(id(PutOffs.MOST), WAIT)).isTrue();
		assertThat(this.putOffs.left(id(PutOffs.MOST))).isEqualTo(WAIT);
	}

	private static ObjectId id(int number) {
		return new ObjectId(SECRETS, new ObjectKey("default", "s-" + number));
	}

}

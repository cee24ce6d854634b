package dev.sharding.internal.core.qos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import dev.sharding.internal.core.qos.Admission.Granted;
import dev.sharding.qos.spi.QosClass;
import dev.sharding.qos.spi.QosClass.RunningWindow;
import dev.sharding.qos.spi.QosClass.TokenBucket;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RingShareTests {

	private static final long STEP = Duration.ofMillis(20).toNanos();

	private static final int STEPS_OF_WINDOW = 500;

	@Test
	void dividesLimitsOfTheRing() {
		assertThat(RingShare.of(new TokenBucket(9, 2), 3)).isEqualTo(new TokenBucket(3, 1));
		assertThat(RingShare.of(new QosClass.LeakyBucket(9, 10), 3)).isEqualTo(new QosClass.LeakyBucket(3, 3));
		assertThat(RingShare.of(new RunningWindow(9, Duration.ofSeconds(1)), 2))
			.isEqualTo(new RunningWindow(4, Duration.ofSeconds(1)));
		assertThat(RingShare.of(new QosClass.MaxInFlight(2), 3)).isEqualTo(new QosClass.MaxInFlight(1));
		assertThat(RingShare.of(new QosClass.MaxInFlight(2), 0)).isEqualTo(new QosClass.MaxInFlight(2));
	}

	@Test
	void noShareIsNothing() {
		assertThat(RingShare.of(new QosClass.LeakyBucket(9, 2), 16)).isEqualTo(new QosClass.LeakyBucket(9 / 16.0, 1));
		assertThat(RingShare.of(new QosClass.LeakyBucket(9, 0), 16)).isEqualTo(new QosClass.LeakyBucket(9 / 16.0, 0));
		assertThat(RingShare.of(new TokenBucket(1, 1), 100)).isEqualTo(new TokenBucket(0.01, 1));
		assertThat(RingShare.of(new RunningWindow(1, Duration.ofSeconds(1)), 100))
			.isEqualTo(new RunningWindow(1, Duration.ofSeconds(1)));
	}

	@Test
	void aNewcomerTakesHalfAPartAndASixteenthOfOneUntilOthersHaveLooked() {
		assertThat(RingShare.parts(4, 0)).isEqualTo(64);
		assertThat(RingShare.parts(4, 2)).isEqualTo(64);
		assertThat(RingShare.parts(10, 1)).isEqualTo(160);
		assertThat(RingShare.parts(4, 3)).isEqualTo(8);
		assertThat(RingShare.parts(4, 5)).isEqualTo(8);
		assertThat(RingShare.parts(4, 6)).isEqualTo(4);
		assertThat(RingShare.parts(0, 6)).isEqualTo(1);
	}

	@Property
	void whatOthersDoNotKnowOfIsATenthAtMostAndWhatTheyKnowOfAddsUp(@ForAll @IntRange(min = 1, max = 2000) int others,
			@ForAll @IntRange(min = 1, max = 12) int looks) {
		double known = 1.0 / RingShare.parts(others, RingShare.NEWCOMER_FOR + 1);
		double all = 1.0 / RingShare.parts(others + 1, RingShare.NEWCOMER_FOR + 1);
		double own = 1.0 / RingShare.parts(others + 1, looks);
		// By its third look each of the others has looked since it came.
		assertThat(others * ((looks > 2) ? all : known) + own).isLessThanOrEqualTo((looks > 2) ? 1.000001 : 1.1);
		// As many as there are, when nobody has looked since the first of them came.
		double unseen = 1.0 / RingShare.parts(others, Math.min(looks, 2));
		assertThat(others * known + others * unseen).isLessThanOrEqualTo(1.1);
	}

	/*
	 * At each moment, of whatever limit. As many come at a time as there are; some of
	 * them have looked for long, without a Lease. For each, one of those who were there
	 * goes, then or later. Or all stay, and one loses its Lease and gets it back.
	 */
	@Property(tries = 500)
	void whoeverComesAtATimeTheSharesStayWithinATenth(@ForAll long seed, @ForAll @IntRange(min = 1, max = 12) int there,
			@ForAll @IntRange(min = 1, max = 10) int look, @ForAll boolean go) {
		Random random = new Random(seed);
		int end = 30 * look;
		List<Sharer> all = new ArrayList<>();
		for (int i = 0; i < there; i++) {
			all.add(new Sharer(-10 * look - random.nextInt(look), -10 * look));
		}
		Sharer first = all.get(0);
		for (int i = 1 + random.nextInt(there); i > 0; i--) {
			int joins = random.nextInt(2 * look);
			all.add(new Sharer(joins - random.nextInt(10 * look), joins));
			all.get(i - 1).leaves = go ? joins + random.nextInt(end) : Integer.MAX_VALUE;
		}
		if (!go) {
			first.leaves = random.nextInt(end);
			first.joins.add(first.leaves + random.nextInt(3 * look));
		}
		for (int now = -11 * look; now < end; now++) {
			double sum = 0;
			for (Sharer one : all) {
				one.look(now, look, all);
				sum += one.share(now);
			}
			assertThat(sum).as("at %d of %d", now, end).isLessThanOrEqualTo(1.1);
		}
	}

	@Test
	void aLargerShareIsNoBurst() {
		TokenBucket small = new TokenBucket(10, 5);
		TokenBucket large = new TokenBucket(20, 10);
		assertThat(RingShare.growth(small, large)).isEqualTo(5);
		assertThat(RingShare.growth(large, small)).isZero();
		TokenBucketState grown = TokenBucketState.full(0).changed(small, large, 0).withhold(large, 5, 0);
		assertThat(grown.reserve(large, 5, 0, 0)).isInstanceOf(Granted.class);
		assertThat(grown.reserve(large, 6, 0, 0)).isInstanceOf(Admission.Refused.class);
		RunningWindow few = new RunningWindow(5, Duration.ofSeconds(1));
		RunningWindow many = new RunningWindow(10, Duration.ofSeconds(1));
		RunningWindowState wider = RunningWindowState.empty(0)
			.changed(few, many, 0)
			.withhold(many, RingShare.growth(few, many), 0);
		assertThat(wider.reserve(many, 5, 0, 0)).isInstanceOf(Granted.class);
		assertThat(wider.reserve(many, 6, 0, 0)).isInstanceOf(Admission.Refused.class);
		long later = Duration.ofSeconds(2).toNanos();
		assertThat(wider.reserve(many, 10, later, 0)).isInstanceOf(Granted.class);
	}

	/*
	 * Members come and go one at a time, and each of the others, the newcomer too, learns
	 * of it by its next look, before another does. The sum stays within a tenth of the
	 * figure, a burst, and what no share falls below.
	 */
	@Property(tries = 300)
	void tenSecondsOfARollOutStayWithinATenthOfTheFigure(@ForAll long seed,
			@ForAll @IntRange(min = 1, max = 8) int members, @ForAll @IntRange(min = 50, max = 500) int qps,
			@ForAll @IntRange(min = 1, max = 200) int burst, @ForAll @IntRange(min = 1, max = 10) int lookSeconds,
			@ForAll @IntRange(min = 0, max = 10) int moreSeconds) {
		int gapSeconds = lookSeconds + moreSeconds;
		Ring ring = new Ring(new Random(seed), new TokenBucket(qps, burst), members, lookSeconds * 50);
		int[] passed = new int[60 * 50];
		int[] came = new int[passed.length];
		int next = gapSeconds * 50;
		for (int step = 0; step < passed.length; step++) {
			if (step == next) {
				came[step] = ring.change(step, members) ? 1 : 0;
				next += gapSeconds * 50;
			}
			passed[step] = ring.step(step);
		}
		for (int from = 0; from + STEPS_OF_WINDOW <= passed.length; from += 10) {
			int sum = 0;
			int newcomers = 0;
			for (int step = from; step < from + STEPS_OF_WINDOW; step++) {
				sum += passed[step];
				newcomers += came[step];
			}
			double atLeastOne = members + 1 + newcomers;
			double firstBursts = newcomers * Math.max(1, burst / 16.0);
			assertThat((double) sum).isLessThanOrEqualTo(10.0 * qps * 1.1 + burst + firstBursts + atLeastOne);
		}
	}

	/** Who takes a share from its start to its end, with a Lease or without. */
	private static final class Sharer {

		private final int starts;

		private final List<Integer> joins = new ArrayList<>();

		private int leaves = Integer.MAX_VALUE;

		private int known;

		private int looks;

		private int term;

		Sharer(int starts, int joins) {
			this.starts = starts;
			this.joins.add(joins);
		}

		/* Which term it has, 0 for none. */
		int term(int now) {
			int begun = (int) this.joins.stream().filter((joins) -> joins <= now).count();
			return (begun == 1 && now >= this.leaves) ? 0 : begun;
		}

		/*
		 * One that is lost counts until it has run out, so its holder has looked before.
		 */
		boolean counts(int now, int look) {
			boolean runsOut = this.joins.size() > 1 && now >= this.leaves && now <= this.leaves + look;
			return runsOut || term(now) > 0;
		}

		void look(int now, int look, List<Sharer> all) {
			if (now < this.starts || (now - this.starts) % look != 0) {
				return;
			}
			// The status of the ring is a moment behind.
			this.known = (int) all.stream().filter((one) -> one.counts(now - 1, look)).count();
			int held = term(now);
			this.looks = (held == 0) ? 0 : (held == this.term) ? this.looks + 1 : 1;
			this.term = held;
		}

		double share(int now) {
			boolean gone = now >= this.leaves && this.joins.size() == 1;
			return (now < this.starts || gone) ? 0 : 1.0 / RingShare.parts(this.known, this.looks);
		}

	}

	/** Members that send as much as they may, with pauses. */
	private static final class Ring {

		private final Random random;

		private final TokenBucket limit;

		/* How many steps are from one look to the next. */
		private final int look;

		private final List<Member> members = new ArrayList<>();

		Ring(Random random, TokenBucket limit, int size, int look) {
			this.random = random;
			this.limit = limit;
			this.look = look;
			for (int i = 0; i < size; i++) {
				Member member = new Member(-RingShare.NEWCOMER_FOR * look, size,
						(TokenBucket) RingShare.of(limit, size));
				this.members.add(member);
			}
		}

		/* One comes, or one of too many goes. */
		boolean change(int step, int size) {
			boolean comes = this.members.size() <= Math.max(1, size - 1)
					|| this.members.size() <= size && this.random.nextBoolean();
			if (comes) {
				Member member = new Member(step, 0, (TokenBucket) RingShare.of(this.limit, RingShare.UNKNOWN));
				this.members.add(member);
			}
			else {
				this.members.remove(this.random.nextInt(this.members.size()));
			}
			for (Member member : this.members) {
				member.learns.add(new int[] { step + this.random.nextInt(this.look), this.members.size() });
			}
			return comes;
		}

		int step(int step) {
			int sum = 0;
			for (Member member : this.members) {
				if (this.random.nextInt(200) == 0) {
					member.paused = !member.paused;
				}
				member.look(step, this.limit, this.look);
				sum += member.paused ? 0 : member.send(step * STEP);
			}
			return sum;
		}

	}

	private static final class Member {

		private final int since;

		/* When it learns of which number. */
		private final List<int[]> learns = new ArrayList<>();

		private int known;

		private boolean paused;

		private TokenBucket share;

		private TokenBucketState state;

		Member(int since, int known, TokenBucket share) {
			this.since = since;
			this.known = known;
			this.share = share;
			this.state = TokenBucketState.full(since * STEP);
		}

		void look(int step, TokenBucket limit, int look) {
			while (!this.learns.isEmpty() && this.learns.get(0)[0] <= step) {
				this.known = this.learns.remove(0)[1];
			}
			int parts = (this.known == 0) ? RingShare.UNKNOWN
					: RingShare.parts(this.known, 1 + (step - this.since) / look);
			TokenBucket now = (TokenBucket) RingShare.of(limit, parts);
			if (!now.equals(this.share)) {
				this.state = this.state.changed(this.share, now, step * STEP)
					.withhold(now, RingShare.growth(this.share, now), step * STEP);
				this.share = now;
			}
		}

		int send(long now) {
			int sent = 0;
			while (this.state.reserve(this.share, 1, now, 0) instanceof Granted<TokenBucketState> granted) {
				this.state = granted.next();
				sent++;
			}
			return sent;
		}

	}

}

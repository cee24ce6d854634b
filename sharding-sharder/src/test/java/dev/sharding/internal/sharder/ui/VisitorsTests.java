package dev.sharding.internal.sharder.ui;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class VisitorsTests {

	private final Visitors visitors = new Visitors();

	@Test
	void anInvitationAdmitsOnce() {
		String invitation = this.visitors.invite();
		String shown = this.visitors.admit(invitation);
		assertThat(shown).hasSizeGreaterThan(40).isNotEqualTo(invitation);
		assertThat(this.visitors.isAdmitted(shown)).isTrue();
		assertThat(this.visitors.admit(invitation)).isNull();
		assertThat(this.visitors.isAdmitted(shown)).isTrue();
	}

	@Test
	void nothingElseAdmits() {
		String invitation = this.visitors.invite();
		assertThat(this.visitors.admit("")).isNull();
		assertThat(this.visitors.admit(invitation.substring(1))).isNull();
		assertThat(this.visitors.isAdmitted(invitation)).isFalse();
		assertThat(this.visitors.isAdmitted("")).isFalse();
		assertThat(this.visitors.isAdmitted(null)).isFalse();
		assertThat(this.visitors.invite()).isNotEqualTo(this.visitors.invite());
	}

}
